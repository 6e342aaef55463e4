import { setDefaultTimeout } from 'bun:test';
import { type Admin, openAdmin } from '@svc/hub/admin/admin';
import type { FirstRunSetup } from '@svc/hub/build/first-run';
import type { RunningHub } from '@svc/hub/main';
import { versionAt } from './beside/beside.ts';
import { hubBeside } from './beside/hub-beside.ts';
import type { HubVersion } from './beside/hub-version.ts';
import { databaseEnvironment } from './hub-database.ts';
import { MovableClock } from './movable-clock.ts';
import { ScriptedAgent, type ScriptedOptions } from './scripted-agent.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

setDefaultTimeout(60_000);

export interface HubWorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: MovableClock;
  /** Its number among the hubs of a database, for tests that make several. */
  readonly index?: number;
  /** Default: as the suite says, which is this one unless it has hubs of two versions. */
  readonly version?: HubVersion;
}

/** A real hub in this process on a free port and a folder of its own, with a clock that the test moves. */
export interface HubWorld extends AsyncDisposable {
  readonly clock: MovableClock;
  /** Changes with a restart. */
  readonly hub: RunningHub;
  readonly start: FirstRunSetup;
  readonly logLines: readonly string[];
  readonly dataDir: string;
  /** Where the hub's own account calls an endpoint. */
  urlOf(slug: string): string;
  /** Calls an endpoint with the first key, buffered unless `init` asks for something else. */
  call(slug: string, init?: RequestInit): Promise<Response>;
  /** A management request with the first access token. */
  manage(path: string, init?: RequestInit): Promise<Response>;
  /** With the first agent token under the name `default`, else with one that is made for the name. */
  agent(options: Omit<ScriptedOptions, 'hubUrl' | 'token'>): ReturnType<typeof ScriptedAgent.connect>;
  /** The agent token that `agent` uses for a name. */
  tokenFor(agentName?: string): Promise<string>;
  /** Settles when the hub has noticed that its last agent is gone. */
  untilNoAgent(): Promise<void>;
  /** The actions of an operator beside the hub. */
  admin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result>;
  /** A host of the hosted runner, with the token that is given or a new one. */
  host(options?: Partial<ScriptedOptions>): ReturnType<typeof ScriptedAgent.connect>;
  /** Stops the hub and starts another on the same folder and port. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

export async function hubWorld({
  env = {},
  clock = new MovableClock(),
  index = 0,
  version = versionAt(index),
}: HubWorldOptions = {}): Promise<HubWorld> {
  const folder = await temporaryFolder();
  const logLines: string[] = [];
  const database = await databaseEnvironment();
  // A test may change its environment from one start to the next.
  const settings = () => ({ SVC_OPERATORS: 'operator@localhost', ...database, ...env });
  const { readHubConfig, startHub, inspectAnswer } = version;
  const config = (port: number) =>
    readHubConfig({ SVC_DATA_DIR: folder.path, SVC_PORT: String(port), ...settings() });
  const begin = (port: number) =>
    startHub({
      config: config(port),
      version: '0.0.0',
      clock,
      log: { write: (line) => void logLines.push(line) },
      inspect: inspectAnswer,
    });
  let hub = await begin(0);
  const start = await hub.firstRun();
  // A test that names its database has its hubs there.
  const beside = env.DATABASE_URL === undefined ? await hubBeside(settings(), clock.follower()) : undefined;
  await beside?.untilKnownTo(hub.hubUrl);
  const headers = (init: RequestInit | undefined, more: Record<string, string>) => ({
    ...init,
    headers: { ...more, ...(init?.headers as Record<string, string> | undefined) },
  });
  const admin: HubWorld['admin'] = async (work) => {
    await using opened = await openAdmin(config(hub.port));
    return await work(opened);
  };
  const tokens = tokensOf(env.DATABASE_URL);
  if (!tokens.has('default')) tokens.set('default', Promise.resolve(start.agentToken));
  const tokenFor = async (agentName = 'default') => {
    const known = tokens.get(agentName) ?? makeToken(hub.hubUrl, start.accessToken, agentName);
    tokens.set(agentName, known);
    return await known;
  };
  const urlOf = (slug: string) => `${hub.baseUrl}/v1/${start.username}/${slug}`;
  return {
    clock,
    start,
    logLines,
    dataDir: folder.path,
    get hub() {
      return hub;
    },
    urlOf,
    call(slug, init) {
      const own = { 'x-api-key': start.apiKey, accept: 'application/json' };
      return fetch(urlOf(slug), headers(init, own));
    },
    manage: (path, init) =>
      fetch(`${hub.hubUrl}${path}`, headers(init, { authorization: `Bearer ${start.accessToken}` })),
    agent: async (options) =>
      ScriptedAgent.connect({ ...options, hubUrl: hub.hubUrl, token: await tokenFor(options.name) }),
    tokenFor,
    async untilNoAgent() {
      const metrics = async () => await (await fetch(`${hub.hubUrl}/metrics`)).text();
      await until(async () => /^svc_agents_connected 0$/m.test(await metrics()));
    },
    admin,
    async host(options) {
      const token = options?.token ?? (await admin((it) => it.makeRunnerToken('host'))).token;
      const instance = crypto.randomUUID();
      return ScriptedAgent.connect({
        instance,
        runner: {},
        endpoints: [],
        ...options,
        hubUrl: hub.hubUrl,
        token,
      });
    },
    async restart(meanwhile = () => Promise.resolve()) {
      const { port } = hub;
      await hub.stop({ graceMs: 0 });
      await meanwhile();
      hub = await begin(port);
      await beside?.untilKnownTo(hub.hubUrl);
    },
    async [Symbol.asyncDispose]() {
      await hub.stop({ graceMs: 0 });
      await folder[Symbol.asyncDispose]();
      await beside?.end(start.accessToken);
    },
  };
}

/** By database and agent name: hubs that share a database share the tokens of its agents. */
const agentTokens = new Map<string, Map<string, Promise<string>>>();

function tokensOf(databaseUrl: string | undefined): Map<string, Promise<string>> {
  const tokens = agentTokens.get(databaseUrl ?? '');
  if (databaseUrl !== undefined && tokens !== undefined) return tokens;
  const none = new Map<string, Promise<string>>();
  agentTokens.set(databaseUrl ?? '', none);
  return none;
}

async function makeToken(hubUrl: string, accessToken: string, agentName: string): Promise<string> {
  const response = await fetch(`${hubUrl}/agent-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: agentName, agent_name: agentName }),
  });
  return ((await response.json()) as { token: string }).token;
}
