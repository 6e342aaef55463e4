import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import type { AgentEvent } from '@svc/agent/connect';
import { formatProblems, requireConfig } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import { type Row, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { jsonEvent } from './json-event.ts';
import { AgentLog } from './log.ts';
import type { AgentOptions } from './options.ts';
import { agentToken, baseUrl, isReadable, stateFolder } from './options.ts';
import { refusedFailure } from './refused-failure.ts';
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
  const start = () =>
    startAgent(
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
  const refusal = await untilStopped(start);
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
      text: `${contentsOf(config)} of ${file} for ${url.href}`,
    },
    ...all.map((text): Row => ({ label: 'WARNING', text, tone: 'warning' })),
  ];
}
