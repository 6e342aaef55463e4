// A process with many agents: each has a link, a journal and a folder of its own, and all share what runs their commands.
// bun agent-crowd.ts <svc.yaml>..., one agent for each file, named as its folder; SVC_BASE_URL and SVC_TOKEN say the rest.
// Says on stdout when all are on their way.

import { basename, dirname, join } from 'node:path';
import { readConfig } from '@svc/agent/config-source';
import { AnnouncedDefinitions } from '@svc/agent/link/definitions';
import { prepareLaunch } from '@svc/agent/link/execution/prepare-launch';
import { WholeDefinitions } from '@svc/agent/link/execution/whole-definitions';
import { claimInstance } from '@svc/agent/link/instance/claim-instance';
import { instanceRoot, openLink } from '@svc/agent/open-link';
import { createProcessRunner } from '@svc/agent/runner/process/create-process-runner';
import { sweepExecution } from '@svc/agent/runner/process/end/sweep';
import { Transformer } from '@svc/agent/runner/transform/run-transform';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import { NO_APPROVALS } from '../../no-approvals.ts';

const { SVC_BASE_URL = '', SVC_TOKEN = '' } = process.env;
const resources = new AsyncDisposableStack();
const runner = createProcessRunner({ transforms: resources.use(new Transformer()) });

/** `svc agent` does the same, with a runner of its own. */
async function connect(configPath: string): Promise<void> {
  const folder = dirname(configPath);
  const config = readConfig(configPath, []);
  if (config.kind !== 'config') throw new Error(`${configPath}: ${JSON.stringify(config)}`);
  const settings = {
    baseUrl: new URL(SVC_BASE_URL),
    token: SVC_TOKEN,
    name: basename(folder).replace(/-\d+$/, ''),
    version: '0.0.0',
    environment: process.env,
    onEvent: () => undefined,
  };
  const instance = claimInstance(join(folder, 'state', instanceRoot(settings)));
  const definitions = new AnnouncedDefinitions();
  definitions.replace(config.config);
  const preconditions = {
    definitions,
    wholeDefinitions: new WholeDefinitions(),
    folder: config.folder,
    inherited: inheritedEnvironment(process.env),
    ...NO_APPROVALS,
    localOnly: false,
  };
  const prepare = (order: ExecutionOrder) => prepareLaunch(order, preconditions);
  const parts = { instance, definitions, localOnly: false, runner, prepare, sweep: sweepExecution };
  await openLink(settings, parts, resources);
}

await Promise.all(process.argv.slice(2).map(connect));
process.stdout.write('on their way\n');
