import type { Logger } from 'pino';
import type { AgentRegistry } from '../agents/registry.ts';
import { KeyUse } from '../engine/account/key-use.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import { Absences } from '../engine/agent/absences.ts';
import { JournalMarks } from '../engine/agent/journal-marks.ts';
import { Bell } from '../engine/alert/bell.ts';
import { executionAlerts } from '../engine/alert/execution-alerts.ts';
import { NotedTries } from '../engine/approval/noted-tries.ts';
import { cached } from '../engine/cached/caches.ts';
import { AgentsElsewhere } from '../engine/cluster/agents-elsewhere.ts';
import { Elsewhere } from '../engine/cluster/elsewhere.ts';
import { hinting } from '../engine/cluster/hints.ts';
import { ExecutionQueue } from '../engine/execution/queue.ts';
import { HostedLine } from '../engine/hosted/hosted-line.ts';
import { OpenStreams } from '../engine/live/open-streams.ts';
import { RunningExecutions } from '../engine/live/running-executions.ts';
import { StateChanges } from '../engine/live/state-changes.ts';
import type { Newsroom } from '../engine/news/newsroom.ts';
import { tellExecution, telling } from '../engine/news/telling-ports.ts';
import { Graphs } from '../engine/pipeline/read-graph.ts';
import { RunDriver } from '../engine/pipeline/run-driver.ts';
import type { Clock, Vault } from '../engine/ports/world.ts';
import { RateLimiter } from '../engine/rate-limiter.ts';
import { ReadPacer } from '../engine/read-pacer.ts';
import type { Spans } from '../engine/tracing/spans.ts';
import { Turns } from '../engine/turns.ts';
import { WorkspaceRemovals } from '../engine/workspace/delete-workspace.ts';
import type { HubContext, Settings } from '../http/context.ts';
import { measuredLine } from '../http/metrics/measured-ports.ts';
import type { Gauges, Metrics } from '../http/metrics/metrics.ts';
import type { Store } from '../store/create-store.ts';
import { callerAddress } from './caller-address.ts';
import type { Cluster } from './cluster.ts';
import { measuredStore } from './measured-store.ts';
import { randomWith } from './random.ts';

export interface ContextParts {
  readonly hubId: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly linkTokens: LinkTokens;
  readonly registry: AgentRegistry;
  readonly newsroom: Newsroom;
  /** Undefined where there are no other hubs to be told. */
  readonly cluster: Pick<Cluster, 'bus' | 'figures' | 'hints'> | undefined;
  readonly metrics: Metrics;
  /** Undefined where nothing is traced. */
  readonly tracing: { readonly spans: Spans; readonly figures: Gauges['spans'] } | undefined;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly server: Pick<
    Bun.Server<unknown>,
    'timeout' | 'requestIP' | 'pendingRequests' | 'pendingWebSockets'
  >;
}

/** Builds what handlers and use cases are made of. */
export function buildContext({
  hubId,
  store,
  clock,
  vault,
  linkTokens,
  registry,
  newsroom,
  cluster,
  metrics,
  tracing,
  logger,
  settings,
  server,
}: ContextParts): HubContext {
  const random = randomWith(clock);
  const hints = cluster?.hints;
  const changes = new StateChanges(clock, hints && ((id) => hints.changed(id)));
  const spans = tracing?.spans;
  const measured = measuredStore(metrics, clock, store);
  const seen = spans?.ports(measured) ?? measured;
  const directory = spans?.agents(registry) ?? registry;
  const heard = telling(newsroom, {
    ledger: seen.ledger,
    approvals: seen.approvals,
    schedules: seen.schedules,
    knownAgents: store.agents,
    runs: seen.runs,
  });
  const written = { ...heard, knownHosts: store.hosts };
  const told = hints === undefined ? written : hinting(hints, written);
  const caches = cached(store, hints && ((what) => hints.forgotten(what)));
  const bell = new Bell();
  const executions = new RunningExecutions(
    {
      ledger: seen.ledger,
      clock,
      agents: registry,
      alertsOf: executionAlerts({ lookups: caches.lookups, random }),
    },
    {
      started: (execution) => {
        metrics.started(execution);
        spans?.started(execution);
        changes.changed(execution.id);
        driver.started(execution);
        tellExecution(newsroom, { ...execution, state: 'running', reason: undefined });
      },
      ended: (execution, ended) => {
        const { endpointId } = execution;
        const { state, reason } = ended;
        metrics.ended(execution, ended);
        spans?.ended(execution, ended);
        driver.ended(execution, ended);
        // Its run may be another hub's.
        if (execution.step !== undefined) hints?.changed(execution.id);
        tellExecution(newsroom, { ...execution, state, reason });
        // There may be room now for one that waits.
        queue.hasRoom(endpointId).catch(reportBug);
        line.ended(execution.workspaceId);
      },
      told: () => bell.ring(),
      trouble: (execution, err) => logger.error({ execution, err }, 'not stored yet, and tried again'),
    },
  );
  metrics.observe({
    agents: () => registry.count - registry.hostFigures().connected,
    hosts: () => registry.hostFigures(),
    hostedWaiting: () => line.length,
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
  const ports = {
    // Accounts, credentials, endpoints and teams are only written through their caches.
    ...caches,
    clock,
    vault,
    random,
    links: store.signInLinks,
    deviceCodes: store.deviceCodes,
    outbox: store.mailOutbox,
    audit: store.audit,
    secrets: store.secrets,
    ...told,
    hubs: store.hubs,
    agents: directory,
    hosts: registry,
    hosted: store.hosted,
    runnerTokens: store.runnerTokens,
    journals: store.agentJournals,
    hubId,
  };
  const inLine = measuredLine(metrics.figures, new HostedLine(registry, executions, clock));
  const line = spans?.line(inLine) ?? inLine;
  const queue = new ExecutionQueue({
    ...{ ...ports, executions, line, changes, reportBug },
    onWaits: hints && ((workspaceId) => hints.waits(workspaceId)),
  });
  const elsewhere =
    cluster && new Elsewhere(cluster.bus, { random, clock, agents: new AgentsElsewhere(ports, hubId) });
  const graphs = new Graphs();
  const driver = new RunDriver({
    ...ports,
    ...{ executions, queue, graphs, changes, bell, linkTokens, settings, reportBug },
  });
  return {
    ...ports,
    executions,
    elsewhere,
    queue,
    line,
    driver,
    graphs,
    bell,
    changes,
    newsroom,
    linkTokens,
    notedTries: new NotedTries(),
    openStreams: new OpenStreams(reportBug, hints && (() => hints.reviewed())),
    removals: new WorkspaceRemovals({ ...ports, executions, changes, bell, driver }),
    keyUse: new KeyUse(store.credentials, reportBug),
    turns: new Turns(),
    absences: new Absences(clock, executions),
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
