import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import type { AgentEvent } from '@svc/agent/connect';
import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { formatProblems, requireConfig } from '../config.ts';
import { EXIT, Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { type Row, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { jsonEvent } from './json-event.ts';
import { AgentLog } from './log.ts';
import type { AgentOptions } from './options.ts';
import { agentToken, baseUrl, isReadable, stateFolder } from './options.ts';
import { startAgent } from './start.ts';
import { untilStopped } from './until-stopped.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

/** `svc agent`: settles when a signal has stopped it. */
export async function agent(options: AgentOptions): Promise<void> {
  const config = requireConfig(readConfig(options.config, []), options.config);
  const url = baseUrl(options.baseUrl, process.env);
  const token = agentToken(options.token, process.env);
  const log = new AgentLog(options.name, options.config);
  let wasConnected = false;
  const onEvent = (event: AgentEvent) => {
    wasConnected ||= event.kind === 'connected';
    if (options.json) process.stdout.write(jsonEvent(event));
    else writeRows(process.stdout, log.rowsOf(event));
  };
  if (!options.json) writeRows(process.stdout, startRows(config, url, options));
  const connected = await startAgent(
    {
      config,
      configPath: options.config,
      baseUrl: url,
      token,
      name: options.name,
      localOnly: options.localOnly === true,
      stateFolder: stateFolder(options.stateDir, process.env),
      version: VERSION,
      environment: process.env,
      onEvent,
    },
    'svc agent --state-dir <folder>',
  );
  const refusal = await untilStopped(connected);
  if (refusal !== undefined) throw refusedFailure(refusal, wasConnected);
}

function startRows({ config, warnings }: Config, url: URL, { config: file }: AgentOptions): Row[] {
  const all = [
    ...formatProblems(file, warnings),
    ...(isReadable(url) ? [`${url.origin} is plain http: others on the way can read the token`] : []),
  ];
  return [
    {
      label: `svc ${VERSION}`,
      text: `${plural(config.endpoints.length, 'endpoint')} of ${file} for ${url.href}`,
    },
    ...all.map((text): Row => ({ label: 'WARNING', text, tone: 'warning' })),
  ];
}

const TIPS = {
  unauthorized: 'make an agent token in the dashboard, and give it in SVC_TOKEN',
  name_refused: 'svc agent --name <another name>',
  displaced: 'give each machine a state folder of its own: this one was copied',
  version: 'use the version of svc that the hub has',
} as const;

function refusedFailure(
  { reason, message }: Awaited<ConnectedAgent['refused']>,
  wasConnected: boolean,
): Failure {
  return new Failure(`the hub does not accept this agent: ${message || reason}`, {
    tip: TIPS[reason],
    exitCode: wasConnected ? EXIT.failed : EXIT.badInput,
  });
}
