import type { AgentEvent } from '@svc/agent/connect';
import { formatProblems } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import type { FactRow } from '../terminal.ts';
import { shortageRow } from './shortage-row.ts';

type EventOf<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { kind: Kind }>;
type Registration = Pick<EventOf<'registered'>, 'registered' | 'refused' | 'warnings'>;

/** Turns the events of an agent into lines for people, without repeating unchanged facts. */
export class AgentLog {
  readonly #name: string;
  readonly #config: string;
  #registration = '';
  #offlineReason: string | undefined;

  constructor(name: string, config: string) {
    this.#name = name;
    this.#config = config;
  }

  rowsOf(event: AgentEvent): FactRow[] {
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

  #registered({ registered, refused, warnings }: Registration): FactRow[] {
    const text = JSON.stringify([registered, refused, warnings]);
    if (text === this.#registration) return [];
    this.#registration = text;
    return [
      ...registered.map(({ name, url }) => ({ label: printable(name), text: printable(url) })),
      ...refused.map(({ name, reason }) => warning(`"${name}" not registered: ${reason}`)),
      ...warnings.map(warning),
    ];
  }

  /** An unreachable hub is reported once per reason. */
  #offline({ reason, retryInMs }: EventOf<'disconnected'>): FactRow[] {
    if (reason === this.#offlineReason) return [];
    this.#offlineReason = reason;
    const seconds = (retryInMs / 1000).toFixed(1);
    return [warning(`hub unreachable: ${reason}; retrying in ${seconds} s, then until the hub is back`)];
  }

  #changed({ config: { config, warnings } }: EventOf<'config_changed'>): FactRow[] {
    const text = `${this.#config} changed: ${contentsOf(config)}`;
    return [{ label: 'config', text }, ...formatProblems(this.#config, warnings).map(warning)];
  }

  #refused({ source }: EventOf<'config_refused'>): FactRow[] {
    const problems =
      source.kind === 'problems' ? formatProblems(this.#config, source.problems) : [source.message];
    return [...problems, `${this.#config} was not applied; the previous registration stays`].map(warning);
  }
}

function journalText({ reason, atMs }: EventOf<'journal_damaged'>): string {
  const at = new Date(atMs).toISOString();
  return `the state folder cannot be trusted: ${printable(reason)}. Since ${at} this agent is a new instance, and executions it had started end as lost`;
}

function warning(text: string): FactRow {
  return { label: 'WARNING', text: printable(text), tone: 'warning' };
}

/** Replaces control characters, so that text from the hub cannot move the cursor. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
}

/** The message of a system error is enough; a bug needs its stack. */
function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'syscall' in cause ? cause.message : (cause.stack ?? cause.message);
}
