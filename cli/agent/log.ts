import type { AgentEvent } from '@svc/agent/connect';
import { formatProblems } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import type { Row } from '../terminal.ts';
import { shortageRow } from './shortage-row.ts';

type EventOf<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { kind: Kind }>;
type Registration = Pick<EventOf<'registered'>, 'registered' | 'refused' | 'warnings'>;

/** KeyedMutex what happens to an agent into lines for people; what was said already is not said again. */
export class AgentLog {
  readonly #name: string;
  readonly #config: string;
  #registration = '';
  #offlineReason: string | undefined;

  constructor(name: string, config: string) {
    this.#name = name;
    this.#config = config;
  }

  rowsOf(event: AgentEvent): Row[] {
    switch (event.kind) {
      case 'connected':
        this.#offlineReason = undefined;
        return [{ label: 'online', text: `connected as agent "${this.#name}"` }, ...this.#registered(event)];
      case 'registered':
        return this.#registered(event);
      case 'disconnected':
        return this.#offline(event);
      case 'config_changed':
        return this.#changed(event);
      case 'config_refused':
        return this.#refused(event);
      case 'journal_damaged':
        return [{ label: 'TROUBLE', text: journalText(event), tone: 'error' }];
      case 'shortage':
      case 'shortage_over':
        return [shortageRow(event)];
      case 'trouble':
        return [{ label: 'TROUBLE', text: `${event.message}: ${messageOf(event.cause)}`, tone: 'error' }];
    }
  }

  #registered({ registered, refused, warnings }: Registration): Row[] {
    const text = JSON.stringify([registered, refused, warnings]);
    if (text === this.#registration) return [];
    this.#registration = text;
    return [
      ...registered.map(({ name, url }) => ({ label: printable(name), text: printable(url) })),
      ...refused.map(({ name, reason }) => warning(`"${name}" is not registered: ${reason}`)),
      ...warnings.map(warning),
    ];
  }

  /** A hub that stays away is told once. */
  #offline({ reason, retryInMs }: EventOf<'disconnected'>): Row[] {
    if (reason === this.#offlineReason) return [];
    this.#offlineReason = reason;
    const seconds = (retryInMs / 1000).toFixed(1);
    return [warning(`no hub: ${reason}; it is tried again in ${seconds} s, and then until it is there`)];
  }

  #changed({ config: { config, warnings } }: EventOf<'config_changed'>): Row[] {
    const text = `${this.#config} has changed: ${contentsOf(config)}`;
    return [{ label: 'config', text }, ...formatProblems(this.#config, warnings).map(warning)];
  }

  #refused({ source }: EventOf<'config_refused'>): Row[] {
    const problems =
      source.kind === 'problems' ? formatProblems(this.#config, source.problems) : [source.message];
    return [...problems, `${this.#config} is not taken over: what was registered before stays`].map(warning);
  }
}

function journalText({ reason, atMs }: EventOf<'journal_damaged'>): string {
  const at = new Date(atMs).toISOString();
  return `the state folder cannot be trusted: ${printable(reason)}. Since ${at} this agent is a new instance, and executions that it had begun end as lost`;
}

function warning(text: string): Row {
  return { label: 'WARNING', text: printable(text), tone: 'warning' };
}

/** What comes from elsewhere cannot move a terminal's cursor. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
}

/** What the system refused says all in its message; a bug is found by its stack. */
function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'syscall' in cause ? cause.message : (cause.stack ?? cause.message);
}
