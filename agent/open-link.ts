import { mkdirSync } from 'node:fs';
import { arch, hostname, platform } from 'node:os';
import { join } from 'node:path';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { OpenLinkSocket } from '@svc/core/protocol/link-socket';
import type { FileFolders } from './files/file-folders.ts';
import { HubFiles } from './link/artifacts/hub-files.ts';
import type { OutputPlaces } from './link/artifacts/output-folders.ts';
import { ArtifactUploader } from './link/artifacts/uploads.ts';
import type { SocketTarget } from './link/connection/connection.ts';
import { proxyFor } from './link/connection/proxy.ts';
import type { AnnouncedDefinitions } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { AgentExecution } from './link/execution/execution.ts';
import { AgentExecutions } from './link/execution/executions.ts';
import type { Prepared } from './link/execution/prepare-launch.ts';
import { recoverExecutions } from './link/execution/recover.ts';
import { Uplink } from './link/execution/uplink.ts';
import type { Instance } from './link/instance/claim-instance.ts';
import { AgentState } from './link/instance/state.ts';
import { HubLink } from './link/link.ts';
import { TIMERS, type Timers } from './link/timers.ts';
import { Space } from './link/unsent/space.ts';
import { UnsentOutput } from './link/unsent/unsent-output.ts';
import type { HostedRunner, Runner } from './runner/runner.ts';

/** How an agent or a host reaches its hub, and its name there. */
export interface LinkSettings {
  /** The URL of the hub, `http:` or `https:`. */
  readonly baseUrl: URL;
  /** The address that the folder of its state is named after; default: `baseUrl`. For a hub whose address changes. */
  readonly stateUrl?: URL;
  readonly token: string;
  /** Connects to a hub in this process; absent: over the network. */
  readonly openSocket?: OpenLinkSocket | undefined;
  readonly name: string;
  readonly version: string;
  /** The environment of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEvent: (event: LinkEvent) => void;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** The parts behind the link that run commands. */
export interface LinkParts {
  readonly instance: Instance;
  readonly definitions: AnnouncedDefinitions;
  readonly localOnly: boolean;
  readonly runner: Runner;
  readonly prepare: (order: ExecutionOrder) => Prepared;
  /** Kills the processes that an earlier agent process left of an execution (decision 18, time-out and cancel). */
  readonly sweep: (executionId: string) => Promise<unknown>;
  /** The folders for what commands leave; absent where they leave nothing. */
  readonly outputFolders?: OutputPlaces;
  /** The folders for files of calls; absent where commands get none. */
  readonly fileFolders?: FileFolders;
  /** Only for a host of the hosted runner. */
  readonly hosted?: HostedRunner;
}

/** A folder for each hub and name, so that no hub gets the pending reports of another. */
export function instanceRoot({
  name,
  baseUrl,
  stateUrl = baseUrl,
}: Pick<LinkSettings, 'name' | 'baseUrl' | 'stateUrl'>): string {
  const hub = new Bun.CryptoHasher('sha256').update(stateUrl.href).digest('hex');
  return `${name}-${hub.slice(0, 12)}`;
}

/** Settles the executions of an earlier process and connects. The cleanup is deferred to `resources`. */
export async function openLink(
  settings: LinkSettings,
  parts: LinkParts,
  resources: AsyncDisposableStack,
): Promise<{ readonly link: HubLink; readonly executions: AgentExecutions }> {
  const { timers = TIMERS, random = Math.random, onEvent } = settings;
  const { instance, definitions, localOnly, hosted } = parts;
  const state = AgentState.open(instance.folder);
  resources.defer(() => state.close());
  if (state.damage !== undefined) onEvent({ kind: 'journal_damaged', ...state.damage });
  const executions = await openExecutions(settings, { ...parts, state }, resources);
  const link = new HubLink({
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
  settings: LinkSettings,
  {
    instance,
    state,
    runner,
    prepare,
    sweep,
    outputFolders,
    fileFolders,
  }: LinkParts & { readonly state: AgentState },
  resources: AsyncDisposableStack,
): Promise<AgentExecutions> {
  const { onEvent } = settings;
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
  const recovered = await recoverExecutions({
    ...{ journal, left, outputFolder, uplink, sweep },
    leftFiles: (id) => outputFolders?.hasFiles(id) ?? false,
  });
  const ended = [...left].flatMap(([id, { kind }]) => (kind === 'ended' ? [id] : []));
  await outputFolders?.keepOnly(new Set(ended), (cause) => onTrouble('a folder cannot be removed', cause));
  await fileFolders?.sweep((cause) => onTrouble('files of a call cannot be removed', cause));
  const executions = new AgentExecutions({
    runner,
    fileFolders,
    journal,
    uplink,
    artifacts: outputFolders && new ArtifactUploader(outputFolders, hubFiles(settings, resources)),
    prepare,
    create: (id) => new AgentExecution(id, new UnsentOutput(join(outputFolder, id), uplink.space), uplink),
    left: recovered,
    onTrouble,
  });
  resources.defer(() => executions.close());
  return executions;
}

function hubFiles(settings: LinkSettings, resources: AsyncDisposableStack): HubFiles {
  const { timers = TIMERS, random = Math.random } = settings;
  const stop = new AbortController();
  resources.defer(() => stop.abort());
  return new HubFiles({ ...settings, timers, random, stop: stop.signal });
}

function targetOf({ baseUrl, token, environment, openSocket }: LinkSettings): SocketTarget {
  const url = new URL(`${baseUrl.pathname.replace(/\/$/, '')}/agents/connect`, baseUrl);
  const proxy = proxyFor(url, environment);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return { url: url.href, token, proxy, open: openSocket };
}
