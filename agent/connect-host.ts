import { join } from 'node:path';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { type ConnectedAgent, stoppable } from './connected-agent.ts';
import { OutputVolumes } from './link/artifacts/output-volumes.ts';
import { AnnouncedDefinitions } from './link/definitions.ts';
import type { LinkEvent } from './link/event.ts';
import { prepareHosted } from './link/execution/prepare-hosted.ts';
import { WholeDefinitions } from './link/execution/whole-definitions.ts';
import { claimInstance } from './link/instance/claim-instance.ts';
import { TIMERS } from './link/timers.ts';
import { instanceRoot, type LinkSettings, openLink } from './open-link.ts';
import type { HostedRunner } from './runner/runner.ts';
import { type ShortageEvent, Shortages } from './shortages.ts';

export interface ConnectHostOptions extends Omit<LinkSettings, 'name' | 'onEvent'> {
  readonly onEvent: (event: LinkEvent | ShortageEvent) => void;
  /** The folder in which hosts of this user keep their journals. */
  readonly stateFolder: string;
  /** Creates the runner. The folder belongs to this process and stays for the next one. The runner ends with the host. */
  readonly runnerIn: (folder: string) => Promise<HostedRunner>;
}

/**
 * Connects to a hub as a host of the hosted runner and runs the hosted executions of all workspaces (decision 49, the
 * hosted runner). Rejects if no runner is available.
 */
export async function connectHost(options: ConnectHostOptions): Promise<ConnectedAgent> {
  const resources = new AsyncDisposableStack();
  try {
    return await connect({ ...options, name: HOSTED_AGENT }, resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function connect(
  options: ConnectHostOptions & Pick<LinkSettings, 'name'>,
  resources: AsyncDisposableStack,
): Promise<ConnectedAgent> {
  const instance = claimInstance(join(options.stateFolder, instanceRoot(options)));
  resources.defer(() => instance.release());
  const { timers = TIMERS } = options;
  const shortages = resources.use(
    new Shortages({ stateFolder: instance.folder, timers, onEvent: options.onEvent }),
  );
  const runner = resources.use(await options.runnerIn(join(instance.folder, 'containers')));
  const wholeDefinitions = new WholeDefinitions();
  const parts = {
    instance,
    definitions: new AnnouncedDefinitions(),
    localOnly: false,
    runner,
    prepare: (order: Parameters<typeof prepareHosted>[0]) => prepareHosted(order, wholeDefinitions),
    sweep: (executionId: string) => runner.sweep(executionId),
    outputFolders: resources.use(new OutputVolumes(instance.folder, runner.outputs)),
    hosted: runner,
  };
  const { link, executions } = await openLink(
    { ...options, onEvent: shortages.explaining(options.onEvent) },
    parts,
    resources,
  );
  return stoppable({ link, executions, resources, timers });
}
