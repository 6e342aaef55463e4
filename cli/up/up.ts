import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import type { AgentEvent, CommandUser } from '@svc/agent/connect';
import { LOCAL_OPERATOR_EMAIL } from '@svc/core/account/local-operator';
import { withoutHubSecrets } from '@svc/hub/config';
import type { RunningHub } from '@svc/hub/main';
import { ownUserName, userOf } from '../agent/run-as.ts';
import { shortageRow } from '../agent/shortage-row.ts';
import { startAgent } from '../agent/start.ts';
import { formatProblems, requireConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { hubConfig, startedHub } from '../hub/start.ts';
import { writeStarter } from '../init/init.ts';
import { sampleCall } from '../serve/sample-call.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { untilSignals } from '../until-signals.ts';
import { VERSION } from '../version.ts';
import { hostOf, type UpHost } from './hosted.ts';

type Config = Extract<ConfigSource, { kind: 'config' }>;

const GRACE_MS = 30_000;
const AGENT_NAME = 'default';
/**
 * The address that the state folders of the agent and the host are named after, whichever port the hub has: each data folder has one hub.
 * It is the address at the default port, under which earlier versions named most of these folders.
 */
const STATE_URL = new URL('http://127.0.0.1:8787');

/** `svc up`: hub and agent in one process; runs until a signal stops both. */
export async function up(options: UpOptions): Promise<void> {
  const found = options.json ? readConfig(options.config, []) : await readConfigOrOffer(options.config);
  const source = requireConfig(found, options.config);
  const runAs = userOf(options.runAs);
  const environment = hubConfig(options);
  // The user of svc up is the operator. The log shows warnings only, beside the rows below.
  const config = {
    ...environment,
    operators: [...environment.operators, LOCAL_OPERATOR_EMAIL],
    logLevel: process.env.SVC_LOG_LEVEL ? environment.logLevel : ('warn' as const),
  };
  const hub = await startedHub(config);
  const rights = rightsOfCommands(config.dataDir, runAs);
  const { start, agent } = await withAgent(hub, {
    source,
    configPath: options.config,
    dataDir: config.dataDir,
    runAs,
  }).catch(async (error: unknown) => {
    await hub.stop({ graceMs: 0 });
    throw error;
  });
  // In the background: the checks of containers take a while.
  const hosting = hostOf({
    hub,
    dataDir: config.dataDir,
    stateUrl: STATE_URL,
    onTrouble: (text) => printRow('runner', text),
  });
  // Before the ready line, after which a program may send a signal.
  const stopped = untilSignals(async (signals) => {
    const hosted = await hosting;
    const commands = hosted.kind === 'host' ? [agent, hosted.host] : [agent];
    await Promise.all(commands.map((one) => (signals === 1 ? one.stop() : one.stopNow())));
    await hub.stop({ graceMs: signals === 1 ? GRACE_MS : 0 });
  });
  if (options.json) {
    const line = {
      hub_url: hub.hubUrl,
      base_url: hub.baseUrl,
      username: start.username,
      sign_in_url: start.signInUrl,
      api_key: start.apiKey,
      access_token: start.accessToken,
      commands_run_as: rights.user,
      commands_can_read_data: rights.canReadData,
      hosted_runner: wireHosted(await hosting),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } else {
    const warnings = formatProblems(options.config, source.warnings);
    const curl = sampleCall(source.config.endpoints, `${hub.baseUrl}/v1/${start.username}`);
    const rows = readyRows({ hub, options, dataDir: config.dataDir, rights, curl, warnings, ...start });
    // Whether the machine can run containers is known later, so its row comes when the others are read.
    const width = writeRows(process.stdout, rows);
    writeRows(process.stdout, [{ label: 'hosted', text: hostedText(await hosting) }], width);
  }
  await stopped;
}

interface AgentPlan {
  readonly source: Config;
  readonly configPath: string;
  readonly dataDir: string;
  readonly runAs: CommandUser | undefined;
}

/** Starts the agent, which connects within this process. Resolves when its endpoints have their URLs. */
async function withAgent(hub: RunningHub, { source, configPath, dataDir, runAs }: AgentPlan) {
  const start = await hub.firstRun();
  const { promise: registered, resolve: onRegistered } = Promise.withResolvers<void>();
  const agent = await startAgent(
    {
      config: source,
      configPath,
      baseUrl: new URL(hub.localUrl),
      stateUrl: STATE_URL,
      token: start.agentToken,
      openSocket: hub.openAgentSocket,
      name: AGENT_NAME,
      localOnly: false,
      runAs,
      stateFolder: join(dataDir, 'agent'),
      version: VERSION,
      environment: withoutHubSecrets(process.env),
      onEvent: (event) => {
        if (event.kind === 'connected') onRegistered();
        reportAgent(event);
      },
    },
    'SVC_DATA_DIR=<another folder> svc up',
  );
  const refusal = await Promise.race([registered, agent.refused]);
  if (refusal === undefined) return { start, agent };
  await agent.stopNow();
  throw new Failure(`the hub does not accept its own agent: ${refusal.message || refusal.reason}`);
}

interface Ready {
  readonly hub: RunningHub;
  readonly options: UpOptions;
  readonly dataDir: string;
  readonly rights: Rights;
  readonly curl: string | undefined;
  readonly warnings: readonly string[];
  readonly signInUrl: string;
  readonly apiKey: string;
}

function readyRows({ hub, options, dataDir, rights, curl, warnings, signInUrl, apiKey }: Ready): FactRow[] {
  return [
    { label: `svc ${VERSION}`, text: `runs ${options.config} at ${hub.baseUrl}` },
    { label: 'sign in', text: signInUrl },
    { label: 'API key', text: apiKey },
    { label: 'data', text: dataDir },
    { label: 'commands', text: rightsText(rights) },
    ...warnings.map((text) => ({ label: 'WARNING', text, tone: 'warning' }) as const),
    ...(curl === undefined
      ? []
      : [{ label: 'try', text: curl.replace('curl -N', `curl -N -H 'X-API-Key: ${apiKey}'`) }]),
    { label: 'stop', text: 'Ctrl-C' },
  ];
}

function hostedText(hosted: UpHost): string {
  if (hosted.kind === 'none') return `not available on this machine: ${hosted.reason}`;
  return `endpoints with agent_name hosted run in containers here, concurrency limit ${hosted.capacity}`;
}

function wireHosted(hosted: UpHost) {
  return hosted.kind === 'none'
    ? { available: false, reason: hosted.reason }
    : { available: true, capacity: hosted.capacity };
}

/** Reports the events of the agent that need attention. */
function reportAgent(event: AgentEvent): void {
  const text = textOf(event);
  if (text !== undefined) printRow('agent', text);
}

function printRow(label: string, text: string): void {
  writeRows(process.stderr, [{ label, text }]);
}

function textOf(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'config_changed':
      return 'config file changed; endpoints registered again';
    case 'config_refused':
      return 'config file has problems; the previous one stays in effect';
    case 'journal_damaged':
      return `the state folder cannot be trusted: ${event.reason}; executions the agent had started end as lost`;
    case 'shortage':
    case 'shortage_over':
      return shortageRow(event).text;
    case 'trouble':
      return event.message;
    case 'connected':
    case 'registered':
    case 'disconnected':
      return undefined;
  }
}

/** Reads the config file. Without one, a person at the terminal is offered the starter file first. */
async function readConfigOrOffer(path: string): Promise<ConfigSource> {
  const source = readConfig(path, []);
  const isMissing = source.kind === 'unreadable' && source.reason === 'missing';
  if (!isMissing || !process.stdin.isTTY || !process.stdout.isTTY) return source;
  const question = `There is no ${path}. Write a starter file with sample endpoints? [Y/n] `;
  if (!/^(?:y(?:es)?)?$/i.test((await ask(question)).trim())) return source;
  writeStarter(path);
  return readConfig(path, []);
}

/** The line that the person types; "no" at the end of the input. */
function ask(question: string): Promise<string> {
  process.stdout.write(question);
  // NOTE: without `terminal` the system edits the line, and Ctrl-C ends the program as anywhere else.
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve('no'));
  });
}

/**
 * The user of the commands of `svc up`, and whether that user can read its data (decision 59, the agent's token stays with
 * the agent).
 */
interface Rights {
  readonly user: string;
  readonly isOwn: boolean;
  readonly canReadData: boolean;
}

/** Closes the data folder to other users if it is ours, and returns the rights of commands. */
function rightsOfCommands(dataDir: string, runAs: CommandUser | undefined): Rights {
  const isClosed = closeToOthers(dataDir);
  if (runAs !== undefined) return { user: runAs.name, isOwn: false, canReadData: !isClosed };
  return { user: ownUserName(), isOwn: true, canReadData: true };
}

function rightsText({ user, isOwn, canReadData }: Rights): string {
  if (isOwn)
    return `run as ${user}, like svc up, and can read its data; as root, use --run-as <user> to separate them`;
  return `run as ${user}, and ${canReadData ? 'can read the data folder; chmod 700 closes it' : 'cannot read the data folder'}`;
}

function closeToOthers(folder: string): boolean {
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) === 0) return true;
  if (uid !== process.geteuid?.()) return false;
  chmodSync(folder, 0o700);
  return true;
}

export interface UpOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  /** The user of commands; absent: the user of `svc up`. */
  readonly runAs?: string;
  readonly json?: true;
}
