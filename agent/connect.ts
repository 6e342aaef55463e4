import { join } from 'node:path';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { Shortage } from '@svc/core/shortage';
import type { ConfigSource } from './config-source.ts';
import { type ConnectedAgent, stoppable } from './connected-agent.ts';
import { announcementProblem, Definitions } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { prepareLaunch } from './link/execution/prepare-launch.ts';
import { RunningCounts } from './link/execution/running-counts.ts';
import { UsedApprovals } from './link/execution/used-approvals.ts';
import { WholeDefinitions } from './link/execution/whole-definitions.ts';
import { claimInstance } from './link/instance/claim-instance.ts';
import type { Link } from './link/link.ts';
import { TIMERS } from './link/timers.ts';
import { instanceRoot, type LinkSettings, openLink } from './open-link.ts';
import { createProcessRunner } from './runner/process/create-process-runner.ts';
import { sweepExecution } from './runner/process/end/sweep.ts';
import { Transformer } from './runner/transform/run-transform.ts';
import { type ShortageEvent, Shortages } from './shortages.ts';
import { watchConfig } from './watch-config.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

/** What a log is told of a connected agent. */
export type AgentEvent =
  | LinkEvent
  | ShortageEvent
  /** The file has changed, and will be registered. */
  | { readonly kind: 'config_changed'; readonly config: Config }
  /** The file has changed; what was read before stays in force, because of this. */
  | { readonly kind: 'config_refused'; readonly source: Exclude<ConfigSource, Config> };

/** A user of this machine, and the variables that tell commands about this user. */
export interface CommandUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

export interface AgentOptions extends Omit<LinkSettings, 'onEvent'> {
  /** What the file held when it was read, with no names taken. */
  readonly config: Config;
  readonly configPath: string;
  /** Runs nothing but the endpoints of its file (decision 32). */
  readonly localOnly: boolean;
  /** Whose rights commands have; absent: those of the agent. */
  readonly runAs?: CommandUser | undefined;
  /** Runs gated endpoints that have no `approver_keys` on the word of the hub, although `localOnly` (decision 60). */
  readonly acceptsApprovalsOfHub?: boolean;
  /** Where agents of this user keep their journals. */
  readonly stateFolder: string;
  readonly onEvent: (event: AgentEvent) => void;
}

/** Why a file holds more than the agent announces to a hub; undefined when it does not. */
export function tooMuchIn(config: Config): string | undefined {
  return announcementProblem(config.config);
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
  const { timers = TIMERS, onEvent, localOnly, config } = options;
  const instance = claimInstance(join(options.stateFolder, instanceRoot(options)));
  resources.defer(() => instance.release());
  const shortages = new Shortages({ stateFolder: instance.folder, timers, onEvent });
  resources.use(shortages);
  const definitions = new Definitions();
  definitions.replace(config.config);
  const counts = new RunningCounts();
  const transforms = resources.use(new Transformer());
  const onShortage = (shortage: Shortage) => shortages.met(shortage);
  const runner = counts.of(resources.use(createProcessRunner({ transforms, onShortage })));
  const premises = {
    definitions,
    wholeDefinitions: new WholeDefinitions(),
    folder: config.folder,
    inherited: { ...inheritedEnvironment(options.environment), ...homeOf(options.runAs) },
    ...(options.runAs === undefined ? {} : { user: { uid: options.runAs.uid, gid: options.runAs.gid } }),
    localOnly,
    name: options.name,
    acceptsApprovalsOfHub: options.acceptsApprovalsOfHub ?? false,
    usedApprovals: new UsedApprovals(join(options.stateFolder, 'used-approvals'), Date.now()),
    // What is signed says a time of the day, and the link's timers are monotonic.
    nowMs: () => Date.now(),
    runningOf: (slug: string) => counts.countOf(slug),
  };
  const prepare = (order: ExecutionOrder) => prepareLaunch(order, premises);
  const parts = { instance, definitions, localOnly, runner, prepare, sweep: sweepExecution };
  const { link, executions } = await openLink(
    { ...options, onEvent: shortages.explaining(onEvent) },
    parts,
    resources,
  );
  resources.defer(watchConfig(options.configPath, config, follow(definitions, link, onEvent), timers));
  return stoppable({ link, executions, resources, timers });
}

/** What a login gives to a user. */
function homeOf(user: CommandUser | undefined): Record<string, string> {
  if (user === undefined) return {};
  return { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: user.shell };
}

/** A file with errors is refused whole, and the last good one stays (decision 33). */
function follow(definitions: Definitions, link: Link, onEvent: AgentOptions['onEvent']) {
  return (source: ConfigSource): void => {
    if (source.kind !== 'config') {
      onEvent({ kind: 'config_refused', source });
      return;
    }
    const message = announcementProblem(source.config);
    if (message !== undefined) {
      const problems = [{ message, line: 1, column: 1, path: 'endpoints' }];
      onEvent({ kind: 'config_refused', source: { kind: 'problems', problems } });
      return;
    }
    onEvent({ kind: 'config_changed', config: source });
    definitions.replace(source.config);
    link.announce();
  };
}
