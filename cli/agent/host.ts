import type { AgentEvent } from '@svc/agent/connect';
import { connectContainerHost, isEngineProblem } from '@svc/agent/host';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { defaultCapacity, type HostOptions, imageFolder } from './host-options.ts';
import { jsonEvent } from './json-event.ts';
import { AgentLog } from './log.ts';
import { type AgentOptions, baseUrl, isReadable, runnerToken, stateFolder } from './options.ts';
import { HOST_TIPS, refusedFailure } from './refused-failure.ts';
import { untilAgentStopped } from './until-stopped.ts';

/** `svc agent --runner container`: a host of the hosted runner; runs until a signal stops it. */
export async function host(options: AgentOptions & HostOptions): Promise<void> {
  const url = baseUrl(options.baseUrl, process.env);
  const token = runnerToken(options, process.env);
  const capacity = options.capacity ?? defaultCapacity();
  const log = new AgentLog(HOSTED_AGENT, '');
  let wasConnected = false;
  const onEvent = (event: AgentEvent) => {
    wasConnected ||= event.kind === 'connected';
    if (options.json) process.stdout.write(jsonEvent(event));
    else writeRows(process.stdout, log.rowsOf(event));
  };
  if (!options.json) writeRows(process.stdout, startRows(url, capacity));
  const start = () =>
    startHost({
      baseUrl: url,
      token,
      capacity,
      maxWaiting: options.waiting,
      imageFolder: imageFolder(options.image, process.env),
      runtime: options.runtime,
      networkNamespace: options.networkNamespace,
      engine: options.engine,
      dockerHost: process.env.DOCKER_HOST,
      dockerNetwork: options.dockerNetwork,
      stateFolder: stateFolder(options.stateDir, process.env),
      version: VERSION,
      environment: process.env,
      onEvent,
    });
  const refusal = await untilAgentStopped(start);
  if (refusal !== undefined) throw refusedFailure(refusal, wasConnected, HOST_TIPS);
}

/** A problem of the machine is a failure for the operator, not a bug. */
async function startHost(options: Parameters<typeof connectContainerHost>[0]) {
  try {
    return await connectContainerHost(options);
  } catch (error) {
    if (isEngineProblem(error))
      throw new Failure(error.message, { tip: 'see docs/operate/hosting.md for the requirements of a host' });
    throw error;
  }
}

function startRows(url: URL, capacity: number): FactRow[] {
  const start = {
    label: `svc ${VERSION}`,
    text: `capacity for ${plural(capacity, 'container')}, for ${url.href}`,
  };
  if (!isReadable(url)) return [start];
  const text = `${url.origin} is plain http: others on the network can read the token`;
  return [start, { label: 'WARNING', text, tone: 'warning' }];
}
