import type { Logger } from 'pino';
import type { AgentRegistry } from '../agents/registry.ts';
import { KeyUse } from '../engine/account/key-use.ts';
import type { LinkTokens } from '../engine/account/link-token.ts';
import { Absences } from '../engine/agent/absences.ts';
import { Bell } from '../engine/alert/bell.ts';
import { executionAlerts } from '../engine/alert/execution-alerts.ts';
import { cached } from '../engine/cached/caches.ts';
import { ExecutionQueue } from '../engine/execution/queue.ts';
import { OpenStreams } from '../engine/live/open-streams.ts';
import { RunningExecutions } from '../engine/live/running-executions.ts';
import { StateChanges } from '../engine/live/state-changes.ts';
import type { Clock, Vault } from '../engine/ports/world.ts';
import { RateLimiter } from '../engine/rate-limiter.ts';
import { Turns } from '../engine/turns.ts';
import { WorkspaceRemovals } from '../engine/workspace/delete-workspace.ts';
import type { HubContext, Settings } from '../http/context.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Store } from '../store/create-store.ts';
import { callerAddress } from './caller-address.ts';
import { random } from './random.ts';

export interface ContextParts {
  readonly hubId: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly linkTokens: LinkTokens;
  readonly registry: AgentRegistry;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: Settings;
  readonly server: Pick<Bun.Server<unknown>, 'timeout' | 'requestIP'>;
}

/** Builds what handlers and use cases are made of. */
export function buildContext({
  hubId,
  store,
  clock,
  vault,
  linkTokens,
  registry,
  metrics,
  logger,
  settings,
  server,
}: ContextParts): HubContext {
  const changes = new StateChanges(clock);
  const caches = cached(store);
  const bell = new Bell();
  const executions = new RunningExecutions(
    {
      ledger: store.executions,
      clock,
      agents: registry,
      alertsOf: executionAlerts({ lookups: caches.lookups, random }),
    },
    {
      started: ({ id }) => {
        metrics.started();
        changes.changed(id);
      },
      ended: ({ endpointId }, { state }) => {
        metrics.ended(state);
        // There may be room now for one that waits.
        queue.hasRoom(endpointId).catch(reportBug);
      },
      told: () => bell.ring(),
      trouble: (execution, err) => logger.error({ execution, err }, 'not stored yet, and tried again'),
    },
  );
  metrics.observe({
    agents: () => registry.count,
    running: () => executions.count,
    store: () => store.figures,
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
    schedules: store.schedules,
    ledger: store.executions,
    approvals: store.approvals,
    hubs: store.hubs,
    agents: registry,
    knownAgents: store.agents,
    workspaceUse: store.workspaceUse,
    hubId,
  };
  const queue = new ExecutionQueue({ ...ports, executions, reportBug });
  return {
    ...ports,
    executions,
    queue,
    bell,
    changes,
    linkTokens,
    openStreams: new OpenStreams(reportBug),
    removals: new WorkspaceRemovals({ ...ports, executions, changes }),
    keyUse: new KeyUse(store.credentials, reportBug),
    turns: new Turns(),
    absences: new Absences(clock, executions),
    limiter: new RateLimiter(clock),
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
