import { join } from 'node:path';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import type { Shortage } from '@svc/core/shortage';
import type { ConfigSource } from './config-source.ts';
import { type ConnectedAgent, stoppable } from './connected-agent.ts';
import { FileFolders } from './files/file-folders.ts';
import { OutputFolders } from './link/artifacts/output-folders.ts';
import { AnnouncedDefinitions, announcementProblem } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { prepareLaunch } from './link/execution/prepare-launch.ts';
import { UsedApprovals } from './link/execution/used-approvals.ts';
import { WholeDefinitions } from './link/execution/whole-definitions.ts';
import { claimInstance } from './link/instance/claim-instance.ts';
import type { HubLink } from './link/link.ts';
import { TIMERS } from './link/timers.ts';
import { instanceRoot, type LinkSettings, openLink } from './open-link.ts';
import { createProcessRunner } from './runner/process/create-process-runner.ts';
import { sweepExecution } from './runner/process/end/sweep.ts';
import type { Runner } from './runner/runner.ts';
import { Transformer } from './runner/transform/run-transform.ts';
import { type ShortageEvent, Shortages } from './shortages.ts';
import { watchConfig } from './watch-config.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

/** The events of a connected agent, for a log. */
export type AgentEvent =
  | LinkEvent
  | ShortageEvent
  /** The file has changed and is being registered. */
  | { readonly kind: 'config_changed'; readonly config: Config }
  /** The changed file is invalid for this reason; the previous definitions stay in force. */
  | { readonly kind: 'config_refused'; readonly source: Exclude<ConfigSource, Config> };

/** A user of this machine, and the variables that describe this user to commands. */
export interface CommandUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

export interface ConnectAgentOptions extends Omit<LinkSettings, 'onEvent'> {
  /** The content of the file, read without reserved names. */
  readonly config: Config;
  readonly configPath: string;
  /** Runs only the endpoints of its file (decision 32, commands of a file stay on the agent). */
  readonly localOnly: boolean;
  /** The user that commands run as; absent: the user of the agent. */
  readonly runAs?: CommandUser | undefined;
  /**
   * Runs endpoints with approval but without `approver_keys` on the word of the hub, even with `localOnly` (decision 60,
   * the file is a floor).
   */
  readonly acceptsApprovalsOfHub?: boolean;
  /** The folder in which agents of this user keep their journals. */
  readonly stateFolder: string;
  readonly onEvent: (event: AgentEvent) => void;
}

/** Why a file exceeds what an agent can announce; undefined if it does not. */
export function tooMuchIn(config: Config): string | undefined {
  return announcementProblem(config.config);
}

/**
 * Connects to a hub and runs its orders as processes of this machine. Resolves when the executions of an earlier process
 * are settled and the first connection is under way. Rejects if the state folder cannot be used.
 */
export async function connectAgent(options: ConnectAgentOptions): Promise<ConnectedAgent> {
  const resources = new AsyncDisposableStack();
  try {
    return await connect(options, resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function connect(
  options: ConnectAgentOptions,
  resources: AsyncDisposableStack,
): Promise<ConnectedAgent> {
  const { timers = TIMERS, onEvent, localOnly, config } = options;
  const instance = claimInstance(join(options.stateFolder, instanceRoot(options)));
  resources.defer(() => instance.release());
  const shortages = new Shortages({ stateFolder: instance.folder, timers, onEvent });
  resources.use(shortages);
  const definitions = new AnnouncedDefinitions();
  definitions.replace(config.config);
  const counts = new RunningCounts();
  const transforms = resources.use(new Transformer());
  const onShortage = (shortage: Shortage) => shortages.met(shortage);
  const runner = counts.of(resources.use(createProcessRunner({ transforms, onShortage })));
  const context = {
    definitions,
    wholeDefinitions: new WholeDefinitions(),
    folder: config.folder,
    inherited: { ...inheritedEnvironment(options.environment), ...homeOf(options.runAs) },
    ...(options.runAs === undefined ? {} : { user: { uid: options.runAs.uid, gid: options.runAs.gid } }),
    localOnly,
    name: options.name,
    acceptsApprovalsOfHub: options.acceptsApprovalsOfHub ?? false,
    usedApprovals: new UsedApprovals(join(options.stateFolder, 'used-approvals'), Date.now()),
    // Signatures contain calendar time; the timers of the link are monotonic.
    nowMs: () => Date.now(),
    runningOf: (slug: string) => counts.countOf(slug),
  };
  const prepare = (order: ExecutionOrder) => prepareLaunch(order, context);
  const folders = {
    outputFolders: new OutputFolders(folderForCommands(instance.folder, options.runAs, 'artifacts')),
    fileFolders: new FileFolders(folderForCommands(instance.folder, options.runAs, 'files')),
  };
  const parts = { instance, definitions, localOnly, runner, prepare, sweep: sweepExecution, ...folders };
  const { link, executions } = await openLink(
    { ...options, onEvent: shortages.explaining(onEvent) },
    parts,
    resources,
  );
  resources.defer(watchConfig(options.configPath, config, follow(definitions, link, onEvent), timers));
  return stoppable({ link, executions, resources, timers });
}

/**
 * The folder where commands leave artifacts (decision 72, artifacts), or find the files of their calls (decision 76, files of a call).
 * Commands of another user cannot pass through the state folder, so they get a folder elsewhere, named by a hash of the state folder.
 * It outlives a restart, and no other user can put anything in its place: only root writes into /var/lib.
 */
function folderForCommands(
  instanceFolder: string,
  runAs: CommandUser | undefined,
  use: 'artifacts' | 'files',
): string {
  if (runAs === undefined) return join(instanceFolder, use);
  const hash = new Bun.CryptoHasher('sha256').update(instanceFolder).digest('hex').slice(0, 12);
  return join('/var/lib/svc-agent-artifacts', use === 'artifacts' ? hash : `${hash}-${use}`);
}

/** The variables that a login sets. */
function homeOf(user: CommandUser | undefined): Record<string, string> {
  if (user === undefined) return {};
  return { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: user.shell };
}

/**
 * A file with errors is refused as a whole, and the last valid one stays in force (decision 33, the file is the source of
 * its endpoints).
 */
function follow(definitions: AnnouncedDefinitions, link: HubLink, onEvent: ConnectAgentOptions['onEvent']) {
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

/** Counts the running commands of each endpoint. */
class RunningCounts {
  readonly #counts = new Map<string, number>();

  countOf(slug: string): number {
    return this.#counts.get(slug) ?? 0;
  }

  /** Wraps a runner so that its commands are counted. */
  of(runner: Runner): Runner {
    return {
      start: (launch, sink, input) => {
        const command = runner.start(launch, sink, input);
        const slug = launch.env.SVC_ENDPOINT ?? '';
        this.#add(slug, 1);
        const ended = () => this.#add(slug, -1);
        command.ended.then(ended, ended);
        return command;
      },
      [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
    };
  }

  #add(slug: string, change: number): void {
    const count = this.countOf(slug) + change;
    if (count === 0) this.#counts.delete(slug);
    else this.#counts.set(slug, count);
  }
}
