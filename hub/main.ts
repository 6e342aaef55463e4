import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requestTarget } from '@svc/core/api/request-target';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { readDefinition } from '@svc/core/protocol/definition';
import { refuse } from '@svc/core/refusal';
import type { Logger } from 'pino';
import { AgentRegistry } from './agents/registry.ts';
import { AgentSocket, MOVE, type SocketActions } from './agents/socket.ts';
import { type SocketData, upgradeAgent, webSocketHandlers } from './agents/upgrade.ts';
import type { HubConfig } from './config.ts';
import { LinkTokens } from './engine/account/link-token.ts';
import { Absences } from './engine/agent/absences.ts';
import { admitAgent, boundAgentNames, nameRefusal } from './engine/agent/admit-agent.ts';
import { receiveEnd, receiveOutput } from './engine/agent/receive.ts';
import { registerEndpoints } from './engine/agent/register-endpoints.ts';
import { settleAgent } from './engine/agent/settle-agent.ts';
import { cached } from './engine/cached/caches.ts';
import { RunningExecutions } from './engine/live/running-executions.ts';
import type { Clock, OutgoingMail } from './engine/ports.ts';
import { RateLimiter } from './engine/rate-limiter.ts';
import { recoverExecutions, type Waiting } from './engine/recover-executions.ts';
import type { HubContext, Settings } from './http/context.ts';
import { executionRoutes } from './http/execution/routes.ts';
import { startRoute } from './http/execution/start.ts';
import { refusalResponse } from './http/json-response.ts';
import { accountRoutes } from './http/manage/accounts.ts';
import { agentRoutes } from './http/manage/agents.ts';
import { apiKeyRoutes } from './http/manage/api-keys.ts';
import { signInRoutes } from './http/manage/sign-in.ts';
import { statusRoutes } from './http/manage/status.ts';
import { Metrics } from './http/metrics.ts';
import { createRouter } from './http/routes/router.ts';
import { createHandler } from './http/server.ts';
import { deliverMail } from './mail/deliver-mail.ts';
import { createStore, type Store } from './store/create-store.ts';
import { callerAddress } from './wiring/caller-address.ts';
import { type FirstRun, firstRun } from './wiring/first-run.ts';
import { createLogger } from './wiring/logger.ts';
import { derivedKey, masterKeyIn } from './wiring/master-key.ts';
import { systemClock } from './wiring/system-clock.ts';

export interface HubOptions {
  readonly config: HubConfig;
  readonly version: string;
  /** Tests bring one that they move. */
  readonly clock?: Clock;
  /** Where log lines go; default: stderr. */
  readonly log?: { write(line: string): void };
}

export interface RunningHub {
  readonly hubUrl: string;
  readonly baseUrl: string;
  /** Where programs of this machine reach it, whatever it is called elsewhere. */
  readonly localUrl: string;
  readonly port: number;
  /** How many executions are under way. */
  running(): number;
  /** What `svc up` gives to the person who started it. */
  firstRun(): Promise<FirstRun>;
  /** Accepts nothing more, lets what runs finish for `graceMs`, and closes; agents keep what they run. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

const AGENTS_PATH = '/agents/connect';
const BEAT_MS = 5_000;
const SWEEP_MS = 60 * 60 * 1000;

/** Builds every real part of a hub and wires them; settles when it answers. */
export async function startHub({
  config,
  version,
  clock = systemClock,
  log,
}: HubOptions): Promise<RunningHub> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel, log);
  const hubId = Bun.randomUUIDv7();
  const store = await openStore(config);
  const { accounts, credentials, endpoints, lookups } = cached(store);
  const registry = new AgentRegistry();
  const metrics = new Metrics();
  const observer = {
    started: () => metrics.started(),
    ended: (_execution: unknown, ended: { readonly state: string }) => metrics.ended(ended.state),
    trouble: (executionId: string, err: unknown) =>
      logger.error({ execution: executionId, err }, 'not stored yet'),
  };
  const executions = new RunningExecutions({ ledger: store.executions, clock, agents: registry }, observer);
  const absences = new Absences(clock, executions);
  const limiter = new RateLimiter(clock);
  const random = {
    uuid: () => Bun.randomUUIDv7(),
    bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  };
  const reportBug = (error: unknown) => {
    const id = random.uuid();
    logger.error({ id, err: error }, 'internal error');
    return id;
  };
  let isStopping = false;
  let handle: (request: Request) => Promise<Response> = () => Promise.resolve(starting());

  const server = Bun.serve<SocketData>({
    hostname: config.host,
    port: config.port,
    // Bodies are counted where they are read, and refused with a reason.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    websocket: webSocketHandlers,
    fetch: (request, self) => {
      if (isAgent(request)) return connectAgent(request, self);
      return handle(request);
    },
  });
  const address = `http://${config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host}:${server.port}`;
  const settings: Settings = {
    version,
    hubUrl: config.hubUrl ?? address,
    baseUrl: config.baseUrl ?? config.hubUrl ?? address,
    forwardCapSec: config.forwardCapSec,
    rates: config.rates,
    signup: config.signup,
    operators: config.operators,
    trustedProxies: config.trustedProxies,
  };
  const context: HubContext = {
    clock,
    random,
    accounts,
    credentials,
    endpoints,
    links: store.signInLinks,
    outbox: store.mailOutbox,
    ledger: store.executions,
    hubs: store.hubs,
    agents: registry,
    hubId,
    executions,
    absences,
    lookups,
    limiter,
    settings,
    keepOpen: (request) => server.timeout(request, 0),
    addressOf: (request) =>
      callerAddress(
        server.requestIP(request)?.address,
        request.headers.get('x-forwarded-for'),
        config.trustedProxies,
      ),
    reportBug,
  };
  metrics.observe({
    agents: () => registry.count,
    running: () => executions.count,
    store: () => store.figures,
  });
  const tokens = new LinkTokens(derivedKey(config.masterKey ?? masterKeyIn(config.dataDir), 'links'));
  const delivery =
    config.smtpUrl === undefined
      ? undefined
      : deliverMail({
          outbox: store.mailOutbox,
          clock,
          smtpUrl: config.smtpUrl,
          from: config.mailFrom,
          onProblem: (id, problem) => logger.warn({ mail: id, problem }, 'mail was not delivered'),
        });
  const onMail = (mail: OutgoingMail) => {
    delivery?.wake();
    logger.info(
      { mail: mail.id, to: mail.to },
      delivery ? 'mail to be delivered' : 'mail waits in the outbox',
    );
  };

  const waiting = await recover(context);
  const manage = createRouter(context, {
    ...signInRoutes(context, { tokens, defaultPlan: config.defaultPlan, onMail }),
    ...accountRoutes(context),
    ...apiKeyRoutes(context),
    ...agentRoutes(context),
    ...executionRoutes(context),
    ...startRoute(context),
    ...statusRoutes(context, {
      storeHealth: () => store.health(),
      isStopping: () => isStopping,
      metrics: () => metrics.read(),
    }),
  });
  const answer = createHandler(context, manage);
  const actions = socketActions(context, waiting, logger);
  handle = async (request) => {
    const response = await answer(request);
    metrics.answered(response.status);
    return response;
  };
  const housekeeping = [
    repeat(clock, BEAT_MS, () => store.hubs.beat(hubId, clock.nowMs())),
    repeat(clock, SWEEP_MS, () => store.sweep(clock.nowMs())),
  ];
  logger.info({ hub: settings.hubUrl, version }, 'the hub listens');

  async function connectAgent(request: Request, self: Bun.Server<SocketData>): Promise<Response | undefined> {
    if (isStopping) return starting();
    const outcome = await upgradeAgent(
      request,
      self,
      (token) => admitAgent(context, token),
      (admitted) => new AgentSocket(admitted, registry, actions, hubId),
    );
    if (outcome === 'upgraded') return undefined;
    if (outcome === 'no_upgrade')
      return refusalResponse(refuse('invalid_argument', 'a WebSocket handshake expected'));
    return refusalResponse(refuse('unauthorized', 'a valid agent token is needed, as Authorization: Bearer'));
  }

  return {
    hubUrl: settings.hubUrl,
    baseUrl: settings.baseUrl,
    localUrl: address,
    port: server.port ?? config.port,
    running: () => executions.count,
    firstRun: () =>
      firstRun({ ...context, tokens, defaultPlan: config.defaultPlan, ...settings }, config.dataDir),
    async stop({ graceMs }) {
      isStopping = true;
      for (const stop of housekeeping) stop();
      delivery?.stop();
      for (const connection of registry.all()) connection.send(MOVE);
      const closed = server.stop();
      await settlesWithin(executions.idle(), graceMs);
      for (const connection of registry.all()) connection.close(CLOSE_CODES.going_away, 'the hub stops');
      await settlesWithin(closed, 1000);
      await server.stop(true);
      await store.hubs.forget(hubId).catch(() => undefined);
      await store[Symbol.asyncDispose]();
    },
  };
}

function isAgent({ method, url }: Request): boolean {
  return method === 'GET' && url.includes(AGENTS_PATH) && requestTarget(url).path === AGENTS_PATH;
}

function starting(): Response {
  return refusalResponse(refuse('unavailable', 'the hub is starting or stopping'));
}

function openStore({ databaseUrl, dataDir }: HubConfig): Promise<Store> {
  const location =
    databaseUrl === undefined
      ? ({ kind: 'sqlite', file: join(dataDir, 'svc.db') } as const)
      : ({ kind: 'postgres', url: databaseUrl } as const);
  return createStore(location, { endpointOf });
}

/** What is stored was checked when it was registered; that it cannot be read now is a bug. */
function endpointOf(definition: string) {
  const read = readDefinition(JSON.parse(definition) as Record<string, unknown>);
  if (read.kind === 'endpoint') return read.endpoint;
  throw new Error(`a stored definition cannot be read: ${read.problems.join('; ')}`);
}

function recover(context: HubContext): Promise<Waiting> {
  return recoverExecutions(context);
}

/** Again and again, the next time counted from the end of the last; what fails is tried again then. */
function repeat(clock: Clock, everyMs: number, work: () => Promise<unknown>): () => void {
  let isOver = false;
  let withdraw = () => {};
  const run = () => {
    void work()
      .catch(() => undefined)
      .finally(() => {
        if (!isOver) withdraw = clock.at(clock.nowMs() + everyMs, run);
      });
  };
  run();
  return () => {
    isOver = true;
    withdraw();
  };
}

function socketActions(context: HubContext, waiting: Waiting, logger: Logger): SocketActions {
  return {
    nameRefusal: async ({ token }, name) =>
      nameRefusal(token, name, await boundAgentNames(context, token.workspaceId)),
    register: (agent, announced) => registerEndpoints(context, agent, announced),
    settle: (process, inFlight) => settleAgent(context, process, inFlight),
    output: (from, chunk) => receiveOutput(context, from, chunk),
    end: (from, end) => receiveEnd(context, from, end),
    connected(process) {
      context.absences.end(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent connected');
      waiting.dispatch().catch(context.reportBug);
    },
    gone(process) {
      context.absences.begin(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent gone');
    },
    urlOf: ({ workspace }, slug) => `${context.settings.baseUrl}/v1/${workspace.username ?? '-'}/${slug}`,
    reportBug: context.reportBug,
  };
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const settle = () => {
    clearTimeout(timer);
    resolve(true);
  };
  promise.then(settle, settle);
  return settled;
}
