import { mkdirSync } from 'node:fs';
import { arch, hostname, platform } from 'node:os';
import { join } from 'node:path';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import { proxyFor } from './link/connection/proxy.ts';
import type { SocketTarget } from './link/connection/socket.ts';
import type { Definitions } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { Execution } from './link/execution/execution.ts';
import { Executions } from './link/execution/executions.ts';
import type { Prepared } from './link/execution/prepare-launch.ts';
import { recoverExecutions } from './link/execution/recover.ts';
import { Uplink } from './link/execution/uplink.ts';
import type { Instance } from './link/instance/claim-instance.ts';
import { AgentState } from './link/instance/state.ts';
import { Link } from './link/link.ts';
import { TIMERS, type Timers } from './link/timers.ts';
import { Space } from './link/unsent/space.ts';
import { UnsentOutput } from './link/unsent/unsent-output.ts';
import type { HostedRunner, Runner } from './runner/runner.ts';

/** How an agent or a host reaches its hub, and what it calls itself there. */
export interface LinkSettings {
  /** Where the hub is, `http:` or `https:`. */
  readonly baseUrl: URL;
  readonly token: string;
  readonly name: string;
  readonly version: string;
  /** Its own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEvent: (event: LinkEvent) => void;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** What runs behind the link. */
export interface LinkParts {
  readonly instance: Instance;
  readonly definitions: Definitions;
  readonly localOnly: boolean;
  readonly runner: Runner;
  readonly prepare: (order: ExecutionOrder) => Prepared;
  /** Kills what an earlier process left of an execution (decision 18). */
  readonly sweep: (executionId: string) => Promise<unknown>;
  /** Of a host of the hosted runner. */
  readonly hosted?: HostedRunner;
}

/** A folder for each hub and name, so that what one is owed is never offered to another. */
export function instanceRoot({ name, baseUrl }: Pick<LinkSettings, 'name' | 'baseUrl'>): string {
  const hub = new Bun.CryptoHasher('sha256').update(baseUrl.href).digest('hex');
  return `${name}-${hub.slice(0, 12)}`;
}

/** Settles what an earlier process left, and connects; what has to be given back is deferred to `resources`. */
export async function openLink(
  settings: LinkSettings,
  parts: LinkParts,
  resources: AsyncDisposableStack,
): Promise<{ readonly link: Link; readonly executions: Executions }> {
  const { timers = TIMERS, random = Math.random, onEvent } = settings;
  const { instance, definitions, localOnly, hosted } = parts;
  const state = AgentState.open(instance.folder);
  resources.defer(() => state.close());
  if (state.damage !== undefined) onEvent({ kind: 'journal_damaged', ...state.damage });
  const executions = await openExecutions(settings, { ...parts, state }, resources);
  const link = new Link({
    target: targetOf(settings),
    identity: {
      agent: settings.name,
      process: crypto.randomUUID(),
      version: settings.version,
      host: { hostname: hostname(), os: platform(), arch: arch() },
      local_only: localOnly,
    },
    state,
    definitions,
    executions,
    hosted,
    timers,
    random,
    onEvent,
  });
  resources.defer(() => link.close());
  return { link, executions };
}

const SPILL_DAMAGED =
  'output that the hub has not acknowledged is damaged on the disk: its execution is lost';
const SPILL_FAILED = 'output that the hub has not acknowledged cannot be kept on the disk';

async function openExecutions(
  { onEvent }: LinkSettings,
  { instance, state, runner, prepare, sweep }: LinkParts & { readonly state: AgentState },
  resources: AsyncDisposableStack,
): Promise<Executions> {
  const outputFolder = join(instance.folder, 'output');
  mkdirSync(outputFolder, { recursive: true, mode: 0o700 });
  const { journal, left, strays } = state;
  const onTrouble = (message: string, cause: unknown) => onEvent({ kind: 'trouble', message, cause });
  const space = new Space({
    onDiskFailure: (cause) => onTrouble(SPILL_FAILED, cause),
    onDamage: (cause) => onTrouble(SPILL_DAMAGED, cause),
  });
  const uplink = new Uplink(space, () => journal.mark.seq);
  await Promise.all(strays.map((id) => sweep(id)));
  const recovered = await recoverExecutions({ journal, left, outputFolder, uplink, sweep });
  const executions = new Executions({
    runner,
    journal,
    uplink,
    prepare,
    create: (id) => new Execution(id, new UnsentOutput(join(outputFolder, id), uplink.space), uplink),
    left: recovered,
    onTrouble,
  });
  resources.defer(() => executions.close());
  return executions;
}

function targetOf({ baseUrl, token, environment }: LinkSettings): SocketTarget {
  const url = new URL(`${baseUrl.pathname.replace(/\/$/, '')}/agents/connect`, baseUrl);
  const proxy = proxyFor(url, environment);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return { url: url.href, token, proxy };
}
