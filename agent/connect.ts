import { mkdirSync } from 'node:fs';
import { arch, hostname, platform } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import type { ConfigSource } from './config-source.ts';
import { type ConnectedAgent, stoppable } from './connected-agent.ts';
import { proxyFor } from './link/connection/proxy.ts';
import type { SocketTarget } from './link/connection/socket.ts';
import { announcementProblem, Definitions } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { Execution } from './link/execution/execution.ts';
import { Executions } from './link/execution/executions.ts';
import { prepareLaunch } from './link/execution/prepare-launch.ts';
import { recoverExecutions } from './link/execution/recover.ts';
import { Uplink } from './link/execution/uplink.ts';
import { WholeDefinitions } from './link/execution/whole-definitions.ts';
import { bootId } from './link/instance/boot-id.ts';
import { claimInstance } from './link/instance/claim-instance.ts';
import { Journal } from './link/journal/journal.ts';
import { Link } from './link/link.ts';
import { TIMERS, type Timers } from './link/timers.ts';
import { Space } from './link/unsent/space.ts';
import { UnsentOutput } from './link/unsent/unsent-output.ts';
import { createProcessRunner } from './runner/process/create-process-runner.ts';
import { sweepExecution } from './runner/process/end/sweep.ts';
import { Transformer } from './runner/transform/run-transform.ts';
import { watchConfig } from './watch-config.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

/** What a log is told of a connected agent. */
export type AgentEvent =
  | LinkEvent
  /** The file has changed, and will be registered. */
  | { readonly kind: 'config_changed'; readonly config: Config }
  /** The file has changed; what was read before stays in force, because of this. */
  | { readonly kind: 'config_refused'; readonly source: Exclude<ConfigSource, Config> };

export interface AgentOptions {
  /** What the file held when it was read, with no names taken. */
  readonly config: Config;
  readonly configPath: string;
  /** Where the hub is, `http:` or `https:`. */
  readonly baseUrl: URL;
  readonly token: string;
  readonly name: string;
  /** Runs nothing but the endpoints of its file (decision 32). */
  readonly localOnly: boolean;
  /** Where agents of this user keep their journals. */
  readonly stateFolder: string;
  readonly version: string;
  /** The agent's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/**
 * Connects to a hub and runs, as processes of this machine, what it is told to. Settles when what an earlier process left
 * is settled and the first connection is under way; rejects when the state folder cannot be used.
 */
export async function connectAgent(options: AgentOptions): Promise<ConnectedAgent> {
  const resources = new AsyncDisposableStack();
  try {
    return await connect(options, resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function connect(options: AgentOptions, resources: AsyncDisposableStack): Promise<ConnectedAgent> {
  const { timers = TIMERS, onEvent } = options;
  const instance = claimInstance(join(options.stateFolder, instanceRoot(options)));
  resources.defer(() => instance.release());
  const definitions = new Definitions();
  definitions.replace(options.config.config.endpoints);
  const executions = await openExecutions(options, definitions, instance.folder, resources);
  const link = new Link({
    target: targetOf(options),
    identity: {
      agent: options.name,
      instance: instance.id,
      boot: bootId(),
      process: crypto.randomUUID(),
      version: options.version,
      host: { hostname: hostname(), os: platform(), arch: arch() },
      local_only: options.localOnly,
    },
    definitions,
    executions,
    timers,
    random: options.random ?? Math.random,
    onEvent,
  });
  resources.defer(() => link.close());
  resources.defer(
    watchConfig(options.configPath, options.config, follow(definitions, link, onEvent), timers),
  );
  return stoppable({ link, executions, resources, timers });
}

/** A folder for each hub and name, so that what one is owed is never offered to another. */
function instanceRoot({ name, baseUrl }: AgentOptions): string {
  const hub = new Bun.CryptoHasher('sha256').update(baseUrl.href).digest('hex');
  return `${name}-${hub.slice(0, 12)}`;
}

async function openExecutions(
  { config, environment, localOnly, onEvent }: AgentOptions,
  definitions: Definitions,
  folder: string,
  resources: AsyncDisposableStack,
): Promise<Executions> {
  const outputFolder = join(folder, 'output');
  mkdirSync(outputFolder, { recursive: true, mode: 0o700 });
  const { journal, left } = Journal.open(join(folder, 'journal'));
  resources.defer(() => journal.close());
  const uplink = new Uplink(new Space());
  const recovered = await recoverExecutions({ journal, left, outputFolder, uplink, sweep: sweepExecution });
  const runner = resources.use(createProcessRunner({ transforms: resources.use(new Transformer()) }));
  const premises = {
    definitions,
    wholeDefinitions: new WholeDefinitions(),
    folder: config.folder,
    inherited: inheritedEnvironment(environment),
    localOnly,
  };
  const executions = new Executions({
    runner,
    journal,
    uplink,
    prepare: (order) => prepareLaunch(order, premises),
    create: (id) => new Execution(id, new UnsentOutput(join(outputFolder, id), uplink.space), uplink),
    left: recovered,
    onTrouble: (message, cause) => onEvent({ kind: 'trouble', message, cause }),
  });
  resources.defer(() => executions.close());
  return executions;
}

function targetOf({ baseUrl, token, environment }: AgentOptions): SocketTarget {
  const url = new URL(`${baseUrl.pathname.replace(/\/$/, '')}/agents/connect`, baseUrl);
  const proxy = proxyFor(url, environment);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return { url: url.href, token, proxy };
}

/** A file with errors is refused whole, and the last good one stays (decision 33). */
function follow(definitions: Definitions, link: Link, onEvent: AgentOptions['onEvent']) {
  return (source: ConfigSource): void => {
    if (source.kind !== 'config') {
      onEvent({ kind: 'config_refused', source });
      return;
    }
    const message = announcementProblem(source.config.endpoints);
    if (message !== undefined) {
      const problems = [{ message, line: 1, column: 1, path: 'endpoints' }];
      onEvent({ kind: 'config_refused', source: { kind: 'problems', problems } });
      return;
    }
    onEvent({ kind: 'config_changed', config: source });
    definitions.replace(source.config.endpoints);
    link.announce();
  };
}
