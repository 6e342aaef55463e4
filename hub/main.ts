import { mkdirSync } from 'node:fs';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import type { OpenLinkSocket } from '@svc/core/protocol/link-socket';
import { LinkTokens } from './accounts/link-token.ts';
import { AgentRegistry } from './agent-links/registry.ts';
import { MOVE } from './agent-links/socket.ts';
import {
  agentRequestHandler,
  BackgroundWrites,
  localAgentLinks,
  socketActions,
} from './build/agent-sockets.ts';
import { startAlerts } from './build/alerts.ts';
import { answers } from './build/answers.ts';
import { artifactFiles, startArtifacts } from './build/artifacts.ts';
import { buildCluster } from './build/cluster.ts';
import { buildContext } from './build/context.ts';
import { DamageAlarm, operatorReceivers } from './build/damage-alarm.ts';
import { Drain, settlesUnhurried } from './build/drain.ts';
import { type FirstRunSetup, firstRun } from './build/first-run.ts';
import { mailDelivery, startHousekeeping, startSchedules, startStoreChecks } from './build/housekeeping.ts';
import type { HubContext } from './build/hub-context.ts';
import { CLOSED, type HubListener, type HubServer, listen, localUrl, settingsOf } from './build/listen.ts';
import { derivedKeys, masterKeysOf } from './build/master-key.ts';
import { createLogger, openTracing } from './build/observe.ts';
import { openStore } from './build/open-store.ts';
import { signInProviders, startGroupChecks } from './build/sign-in-providers.ts';
import { openSpool, startSpoolSweeps } from './build/spool.ts';
import { claimHubId, type HubId } from './cluster/claim-hub-id.ts';
import type { HubConfig } from './config.ts';
import { Recovery } from './dispatch/recover-executions.ts';
import { LocalEventBus } from './events/event-bus.ts';
import { EventFeeds } from './events/event-feeds.ts';
import { firstRunnerToken } from './hosted/manage-hosted.ts';
import type { AnswerInspector } from './http/router.ts';
import { RunRecovery } from './pipelines/runs/recover-runs.ts';
import { EventStream } from './platform/event-stream.ts';
import type { ServiceManager } from './platform/http/socket-keeper.ts';
import type { OutgoingMail } from './platform/mail/outbox-ports.ts';
import { watchEventLoop } from './platform/metrics/histogram.ts';
import { systemClock } from './platform/system-clock.ts';
import { RingVault } from './platform/vault/envelope-vault.ts';
import type { Clock } from './platform/world.ts';
import { ReadDefinitions } from './registrations/check-announced.ts';
import { Metrics } from './telemetry/metrics.ts';
import { Spans } from './telemetry/spans.ts';

export interface HubOptions {
  readonly config: HubConfig;
  readonly version: string;
  /** The folder of the releases of this program. */
  readonly releasesUrl?: string | undefined;
  /** The clock; tests pass one that they move. */
  readonly clock?: Clock;
  /** The destination of log entries; default: stderr. */
  readonly log?: { write(line: string): void };
  /** Warnings that are logged first, such as an unused variable. */
  readonly warnings?: readonly string[];
  /** An observer of every response of the management API, for tests. */
  readonly inspect?: AnswerInspector;
  /** The service manager that keeps the listening socket while the hub starts again. */
  readonly serviceManager?: ServiceManager | undefined;
}

export interface RunningHub {
  readonly hubUrl: string;
  readonly baseUrl: string;
  /** The address for programs on the same machine. */
  readonly localUrl: string;
  readonly port: number;
  /** Connects the agent of `svc up`, which is in this process. */
  readonly openAgentSocket: OpenLinkSocket;
  /** The number of running executions. */
  running(): number;
  /** The token for the host of the hosted runner that `svc up` starts; the same on every start. */
  runnerToken(): Promise<string>;
  /** The values that `svc up` shows to the person who started it. */
  firstRun(): Promise<FirstRunSetup>;
  /**
   * Moves agents to other hubs if there are any, accepts no new calls, lets running executions finish for `graceMs`, and
   * closes. Agents keep their executions. With `graceMs` 0 it waits for nothing, also when the hub is already stopping.
   */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/** The time for the last bytes of the last responses. */
const LAST_BYTES_MS = 1_000;

/** Builds every part of a hub from top to bottom; resolves when the hub answers. */
export async function startHub({
  config,
  version,
  releasesUrl,
  clock = systemClock,
  log,
  warnings = [],
  inspect,
  serviceManager,
}: HubOptions): Promise<RunningHub> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const logger = createLogger(config.logLevel, log);
  for (const warning of warnings) logger.warn(warning);
  let handlers = CLOSED;
  const drain = new Drain();
  const listener = listen(config, () => handlers, serviceManager);
  const { server } = listener;
  const hub = await claimed(config, listener);
  const definitions = new ReadDefinitions();
  const metrics = new Metrics();
  const tracing = await openTracing(config, version, logger);
  const spans = tracing && new Spans(tracing.tracer, clock);
  const cluster = buildCluster(config, clock, { logger, figures: metrics.figures, spans });
  const eventFeeds = new EventFeeds({ clock, bus: cluster?.eventBus ?? new LocalEventBus(), newName });
  const events = new EventStream((err) => logger.error({ err }, 'a subscriber of hub events failed'));
  const alarm = new DamageAlarm(logger, clock);
  const store = await openStore(config, {
    definitions,
    events,
    onWriterDeath: (err) => logger.error({ err }, 'the store starts another writer'),
    onCheckpointFailure: (reason) =>
      logger.error(
        { reason },
        'the log of the store cannot be copied into its file, and grows: look at the disk; svc_store_checkpoint_failures_total counts on',
      ),
    onDamage: (reason) => alarm.found(reason),
  }).catch(async (error: unknown) => {
    hub.release();
    await server.stop(true);
    throw error;
  });
  const address = localUrl(listener, config.host);
  const settings = settingsOf(config, { version, releasesUrl }, address);
  const registry = new AgentRegistry(spans?.sendOrder);
  const masterKeys = masterKeysOf(config);
  const vault = new RingVault(derivedKeys(masterKeys, 'vault'));
  const tokens = new LinkTokens(derivedKeys(masterKeys, 'links'));
  const files = artifactFiles(config, masterKeys, logger);
  const spoolParts = { config, store, clock, masterKeys, logger };
  const spool = openSpool(spoolParts);
  const context = buildContext({
    hubId: hub.id,
    store,
    files,
    events,
    clock,
    vault,
    linkTokens: tokens,
    registry,
    eventFeeds,
    cluster,
    metrics,
    tracing: tracing && spans && { spans, figures: tracing.figures },
    logger,
    settings,
    spool: spool.spool,
    server,
  });
  // User codes live for ten minutes. After a change of the master key and a restart, pending codes must be requested again.
  const [userCodeKey] = derivedKeys(masterKeys, 'user codes')();
  const delivery = mailDelivery(config, store, clock, logger);
  const onMail = ({ id, to }: OutgoingMail) => {
    delivery?.wake();
    logger.info({ mail: id, to }, delivery ? 'a mail is to be delivered' : 'a mail waits in the outbox');
  };
  await Promise.all([store.agents.hubStarted(hub.id), store.hosts.hubStarted(hub.id)]);
  const recovery = new Recovery(context);
  await recovery.start();
  const runRecovery = new RunRecovery(context);
  await runRecovery.start();
  cluster?.join(hub.id, { ...context, events, recovery });
  const alerts = startAlerts({ context, store, events, logger, onMail });
  alarm.setReceivers(operatorReceivers({ config, context, store, settings }));
  const artifacts = startArtifacts({ config, files, artifacts: store.artifacts, events, clock, logger });
  const stopSpool = startSpoolSweeps({ ...spoolParts, events }, spool);
  const providers = signInProviders({ config, context, logger, onMail });
  const parts = {
    config,
    context,
    store,
    files,
    metrics,
    tracer: tracing?.tracer,
    tokens,
    userCodeKey,
    onMail,
    providers,
    alerts,
    logger,
    inspect,
    bus: cluster?.bus,
    isOpen: () => handlers !== CLOSED,
    isDraining: () => drain.isOn,
  };
  const backgroundWrites = new BackgroundWrites(context.reportBug);
  const actions = socketActions(
    { ...context, definitions },
    { watch: alerts.watch, metrics, logger, backgroundWrites },
  );
  const connectAgent = agentRequestHandler(context, registry, actions);
  handlers = {
    answer: answers(parts),
    connectAgent: (request, server) => (drain.hasMoved ? CLOSED.connectAgent : connectAgent)(request, server),
  };
  const stopWatching = watchEventLoop(metrics.figures.eventLoopDelay);
  const stopAlertChecks = alerts.keep();
  const stopSchedules = startSchedules(context, logger);
  const stopChecks = startStoreChecks(config, store, clock, logger);
  const stopGroupChecks = startGroupChecks({ config, context, logger, onMail }, providers);
  const stopHousekeeping = startHousekeeping({ store, context, recovery, runRecovery, logger });
  const stop = async (graceMs: number) => {
    const { hurried } = drain;
    const timeouts = { noticedMs: config.drainSec * 1000, graceMs };
    const leftMs =
      graceMs && (await drain.run({ ...context, listener, registry, cluster, logger }, timeouts));
    handlers = CLOSED;
    artifacts.stop();
    stopSpool();
    stopHousekeeping();
    stopGroupChecks();
    stopChecks();
    stopWatching();
    stopAlertChecks();
    await settlesUnhurried(stopSchedules(), graceMs, hurried);
    await settlesUnhurried(context.driver.stop(), graceMs, hurried);
    const alerted = alerts.deliverer.stop(graceMs);
    const delivered = delivery?.stop();
    await close({ server, registry, context, hurried }, leftMs);
    if (delivered !== undefined) await settlesUnhurried(delivered, graceMs, hurried);
    await settlesUnhurried(alerted, graceMs + LAST_BYTES_MS, hurried);
    alarm.stop();
    if (tracing !== undefined) await settlesUnhurried(tracing.stop(), LAST_BYTES_MS);
    await settlesUnhurried(backgroundWrites.settled(), LAST_BYTES_MS);
    backgroundWrites.end();
    await cluster?.leave();
    await store.hubs.forget(context.hubId).catch(context.reportBug);
    await store[Symbol.asyncDispose]();
    hub.release();
  };
  let stopping: Promise<void> | undefined;
  // Their agents had no chance to connect yet, and calls may be waiting in the socket.
  if (listener.isInherited) context.moving.noteAll();
  listener.open();
  logger.info({ hub: settings.hubUrl, version }, 'the hub listens');
  return {
    hubUrl: settings.hubUrl,
    baseUrl: settings.baseUrl,
    localUrl: address,
    port: listener.port,
    openAgentSocket: localAgentLinks(
      context,
      registry,
      actions,
      () => handlers !== CLOSED && !drain.hasMoved,
    ),
    running: () => context.executions.count,
    runnerToken: () => firstRunnerToken(context, config.dataDir),
    firstRun: () =>
      firstRun({ ...context, tokens, ...settings, defaultPlan: config.defaultPlan }, config.dataDir),
    stop({ graceMs }) {
      if (graceMs === 0) drain.hurry();
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

/** The name of a feed. It is not a secret, so it may be short. */
function newName(): string {
  return Bun.randomUUIDv7().replaceAll('-', '').slice(-16);
}

/** No data is touched before this hub owns its folder. A refused hub stops listening. */
async function claimed(config: HubConfig, listener: HubListener): Promise<HubId> {
  try {
    return claimHubId(config, localUrl(listener, config.host));
  } catch (error) {
    await listener.server.stop(true);
    throw error;
  }
}

interface Open {
  readonly server: HubServer;
  readonly registry: AgentRegistry;
  readonly context: HubContext;
  readonly hurried: AbortSignal;
}

/**
 * Closes the server. Callers that wait get their answers within the grace; executions without a waiting caller continue at their
 * agents.
 *
 * NOTE: Agents move after that and not before: without other hubs their results have no other way. Bun's server waits for ever
 * while a WebSocket is open, so the remaining ones are closed.
 */
async function close({ server, registry, context, hurried }: Open, graceMs: number): Promise<void> {
  const allAnswered = server.stop();
  context.eventFeeds.close();
  context.tailReaders.close();
  await settlesUnhurried(context.executions.untilRead(), graceMs, hurried);
  for (const connection of registry.all()) connection.send(MOVE);
  for (const connection of registry.all()) connection.close(CLOSE_CODES.going_away, 'the hub stops');
  await settlesUnhurried(allAnswered, LAST_BYTES_MS);
  await server.stop(true);
}
