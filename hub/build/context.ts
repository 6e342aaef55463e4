import type { Logger } from 'pino';
import { KeyUse } from '../accounts/identify.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { OpenStreams } from '../accounts/open-streams.ts';
import type { AgentRegistry } from '../agent-links/registry.ts';
import { JournalMarks } from '../agents/journal-marks.ts';
import { MovingAgents } from '../agents/moving-agents.ts';
import { type ExecutionAlertsDeps, executionAlerts } from '../alerts/execution-alerts.ts';
import { FailedAttempts } from '../approvals/failed-attempts.ts';
import { staleCaller } from '../approvals/preconditions.ts';
import { ExecutionQueue } from '../dispatch/queue.ts';
import { ReconnectGracePeriods } from '../dispatch/reconnect-grace-periods.ts';
import type { EventFeeds } from '../events/event-feeds.ts';
import { publishLiveEvents } from '../events/publish-live-events.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { ChangeWaiters } from '../executions/live/change-waiters.ts';
import { RunningExecutions } from '../executions/live/running-executions.ts';
import { RemoteAgents } from '../executions/remote/remote-agents.ts';
import { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { RemoteTails } from '../executions/tail/remote-tails.ts';
import { TailReaders } from '../executions/tail/tail-readers.ts';
import { Tails } from '../executions/tail/tails.ts';
import { callLookups } from '../lookups/caches.ts';
import { Graphs } from '../pipelines/runs/read-graph.ts';
import { RunDriver } from '../pipelines/runs/run-driver.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { callerAddress } from '../platform/http/caller-address.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import { ReadPacer } from '../platform/read-pacer.ts';
import type { Settings } from '../platform/settings.ts';
import { randomWith } from '../platform/system-clock.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { WorkspaceRemovals } from '../retention/delete-workspace.ts';
import type { Spool } from '../spool/spool.ts';
import type { Gauges, Metrics } from '../telemetry/metrics.ts';
import type { Spans } from '../telemetry/spans.ts';
import type { Cluster } from './cluster.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

export interface ContextParts {
  readonly hubId: string;
  readonly store: Store;
  readonly files: FileStore;
  /** The publisher of the store's events. */
  readonly events: EventStream;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly linkTokens: LinkTokens;
  readonly registry: AgentRegistry;
  readonly eventFeeds: EventFeeds;
  /** Undefined without other hubs. */
  readonly cluster: Pick<Cluster, 'bus' | 'figures' | 'invalidations'> | undefined;
  readonly metrics: Metrics;
  /** Undefined without tracing. */
  readonly tracing: { readonly spans: Spans; readonly figures: Gauges['spans'] } | undefined;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly spool: Spool;
  readonly server: Pick<
    Bun.Server<unknown>,
    'timeout' | 'requestIP' | 'pendingRequests' | 'pendingWebSockets'
  >;
}

/** Builds the context for handlers and use cases. */
export function buildContext({
  hubId,
  store,
  files,
  events,
  clock,
  vault,
  linkTokens,
  registry,
  eventFeeds,
  cluster,
  metrics,
  tracing,
  logger,
  settings,
  spool,
  server,
}: ContextParts): HubContext {
  const random = randomWith(clock);
  const invalidations = cluster?.invalidations;
  const spans = tracing?.spans;
  const lookups = callLookups(store, clock);
  // The caches come first: a change is effective at this hub before another subscriber or the caller continues.
  events.subscribe('lookups_stale', ({ what }) => {
    for (const each of what) lookups.forget(each);
  });
  const changes = new ChangeWaiters(clock);
  changes.subscribe(events);
  invalidations?.subscribe(events);
  const tails = new Tails(clock);
  const executions = new RunningExecutions(
    {
      ledger: store.executions,
      clock,
      agents: registry,
      events,
      alertsOf: executionAlerts({
        lookups,
        random,
        callerMayRead: async (execution) =>
          (await staleCaller(store, execution, clock.nowMs())) === undefined,
        failedBefore: failedBefore(store.executions),
      }),
    },
    {
      trouble: (execution, err) => logger.error({ execution, err }, 'not stored yet, and tried again'),
      output: (execution, chunk) => tails.receive(execution, chunk),
    },
  );
  metrics.subscribe(events, clock);
  spans?.subscribe(events);
  publishLiveEvents(events, eventFeeds, store.executions, (error) => reportBug(error));
  metrics.observe({
    agents: () => registry.count - registry.hostFigures().connected,
    hosts: () => registry.hostFigures(),
    hostedWaiting: () => queue.waitingForHost,
    running: () => executions.count,
    store: () => store.figures,
    isStoreDamaged: () => store.damage !== undefined,
    server,
    bus: cluster?.figures,
    spans: tracing?.figures,
  });
  const reportBug = (error: unknown) => {
    const id = Bun.randomUUIDv7();
    logger.error({ id, err: error }, 'internal error');
    return id;
  };
  const deps = {
    lookups,
    accounts: store.accounts,
    credentials: store.credentials,
    endpoints: store.endpoints,
    pipelines: store.pipelines,
    teams: store.teams,
    memberGroups: store.memberGroups,
    workspaceRemoval: store.workspaceRemoval,
    clock,
    vault,
    random,
    links: store.signInLinks,
    emailChanges: store.emailChanges,
    usernames: store.usernames,
    deviceCodes: store.deviceCodes,
    identities: store.identities,
    providerSessions: store.providerSessions,
    workspaceProviders: store.workspaceProviders,
    passkeys: store.passkeys,
    secondFactors: store.secondFactors,
    secondFactorRules: store.secondFactorRules,
    serviceAccounts: store.serviceAccounts,
    scim: store.scim,
    endpointGrants: store.endpointGrants,
    grants: store.grants,
    outbox: store.mailOutbox,
    audit: store.audit,
    secrets: store.secrets,
    alertRules: store.alertRules,
    ledger: store.executions,
    artifacts: store.artifacts,
    files,
    outputSearch: store.outputSearch,
    outputIndex: store.outputIndex,
    approvals: store.approvals,
    schedules: store.schedules,
    knownAgents: store.agents,
    runs: store.pipelineRuns,
    knownHosts: store.hosts,
    hubs: store.hubs,
    agents: registry,
    hosts: registry,
    hosted: store.hosted,
    runnerTokens: store.runnerTokens,
    journals: store.agentJournals,
    spool,
    hubId,
  };
  const queue = new ExecutionQueue({
    ...{ ...deps, executions, reportBug },
    observeHostWait: (attempts) => metrics.hostWait(spans?.hostWait(attempts) ?? attempts),
    onWaits: invalidations && ((workspaceId) => invalidations.waits(workspaceId)),
  });
  const moving = new MovingAgents(clock);
  const remoteHubs =
    cluster && new RemoteHubs(cluster.bus, { random, moving, agents: new RemoteAgents(deps, hubId) });
  const remoteTails = cluster && new RemoteTails(cluster.bus, { random, clock, tails });
  const graphs = new Graphs();
  const driver = new RunDriver({
    ...deps,
    ...{ executions, queue, graphs, linkTokens, settings, reportBug },
  });
  driver.subscribe(events);
  queue.subscribe(events);
  return {
    ...deps,
    executions,
    remoteHubs,
    moving,
    queue,
    driver,
    graphs,
    changes,
    eventFeeds,
    tailReaders: new TailReaders(tails, remoteTails),
    linkTokens,
    failedAttempts: new FailedAttempts(),
    openStreams: new OpenStreams(reportBug, invalidations && (() => invalidations.reviewed())),
    removals: new WorkspaceRemovals({ ...deps, executions, driver }),
    keyUse: new KeyUse(store.credentials, reportBug),
    mutex: new KeyedMutex(),
    gracePeriods: new ReconnectGracePeriods(clock, executions),
    journalMarks: new JournalMarks(store.agentJournals, clock),
    limiter: new RateLimiter(clock),
    readPacer: new ReadPacer({ writes: () => store.figures.units }),
    settings,
    keepOpen: (request) => server.timeout(request, 0),
    addressOf: (request) =>
      callerAddress(
        server.requestIP(request)?.address,
        request.headers.get('x-forwarded-for'),
        settings.trustedProxies,
      ),
    reportBug,
  };
}

const ENDED = ['succeeded', 'failed', 'timed_out', 'lost'] as const;

/** Whether the execution of the same endpoint that ended last, before this one, had failed. */
function failedBefore(ledger: Pick<ExecutionLedger, 'list'>): ExecutionAlertsDeps['failedBefore'] {
  return async ({ id, workspaceId, slug }) => {
    const { items } = await ledger.list({ workspaceId, slug, states: [...ENDED], limit: 2 });
    const before = items.find((one) => one.id !== id);
    return before !== undefined && before.state !== 'succeeded';
  };
}
