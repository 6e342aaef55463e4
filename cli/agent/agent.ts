import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import { type AgentEvent, tooMuchIn } from '@svc/agent/connect';
import { formatProblems, requireConfig } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import { EXIT, Failure } from '../failure.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { jsonEvent } from './json-event.ts';
import { AgentLog } from './log.ts';
import type { AgentOptions } from './options.ts';
import { agentNameOption, agentToken, baseUrl, isReadable, stateFolder } from './options.ts';
import { refusedFailure } from './refused-failure.ts';
import { userOf } from './run-as.ts';
import { startAgent } from './start.ts';
import { untilAgentStopped } from './until-stopped.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

/** `svc agent`: settles when a signal has stopped it. */
export async function agent(options: AgentOptions): Promise<void> {
  const config = requireConfig(readConfig(options.config, []), options.config);
  const tooMuch = tooMuchIn(config);
  if (tooMuch !== undefined)
    throw new Failure(`${options.config}: ${tooMuch}`, {
      tip: 'split the file among several agents, each with its own --name',
      exitCode: EXIT.badInput,
    });
  const url = baseUrl(options.baseUrl, process.env);
  const runAs = userOf(options.runAs);
  const token = agentToken(options, process.env);
  const name = agentNameOption(options.name, process.env);
  const log = new AgentLog(name, options.config);
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
        name,
        localOnly: options.localOnly === true,
        runAs,
        acceptsApprovalsOfHub: options.acceptApprovalsOfHub === true,
        stateFolder: stateFolder(options.stateDir, process.env),
        version: VERSION,
        environment: process.env,
        onEvent,
      },
      'svc agent --state-dir <folder>',
    );
  const refusal = await untilAgentStopped(start);
  if (refusal !== undefined) throw refusedFailure(refusal, wasConnected);
}

function startRows({ config, warnings }: Config, url: URL, options: AgentOptions): FactRow[] {
  const { config: file } = options;
  const all = [
    ...formatProblems(file, warnings),
    ...uncheckable(config, options),
    ...(isReadable(url) ? [`${url.origin} is plain http: others on the network can read the token`] : []),
  ];
  return [
    {
      label: `svc ${VERSION}`,
      text: `${contentsOf(config)} of ${file} for ${url.href}`,
    },
    ...all.map((text): FactRow => ({ label: 'WARNING', text, tone: 'warning' })),
  ];
}

/** The endpoints that this agent will refuse, because it cannot check their approvals (decision 60, the file is a floor). */
function uncheckable(
  { endpoints }: Config['config'],
  { localOnly, acceptApprovalsOfHub }: AgentOptions,
): string[] {
  if (localOnly !== true || acceptApprovalsOfHub === true) return [];
  return endpoints
    .filter(({ approvalRequired, approverKeys }) => approvalRequired && approverKeys === undefined)
    .map(
      ({ slug }) =>
        `"${slug}" needs approval and will be refused: list approver_keys in svc.yaml (svc approvals key creates one), or start with --accept-approvals-of-hub`,
    );
}
