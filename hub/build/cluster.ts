import type { Logger } from 'pino';
import { HubMembership } from '../cluster/hub-membership.ts';
import { Invalidations } from '../cluster/invalidations.ts';
import type { HubConfig } from '../config.ts';
import { type EventBus, SharedEventBus } from '../events/event-bus.ts';
import { FeedSource } from '../executions/remote/feed-source.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { NatsBus } from '../platform/bus/nats-bus.ts';
import type { Figures } from '../platform/metrics/figures.ts';
import type { Clock } from '../platform/world.ts';
import type { Gauges } from '../telemetry/metrics.ts';
import type { Spans } from '../telemetry/spans.ts';
import { type OnInvalidationDeps, onInvalidation } from './on-invalidation.ts';

/** The connection of this hub to other hubs. */
export interface Cluster {
  readonly bus: Bus;
  readonly invalidations: Invalidations;
  readonly eventBus: EventBus;
  /** The number of other hubs on the bus. */
  readonly others: { readonly count: number };
  readonly figures: NonNullable<Gauges['bus']>;
  /** Joins the bus: from now on this hub publishes and receives frames. */
  join(hubId: string, deps: Omit<OnInvalidationDeps, 'feeds'>): void;
  leave(): Promise<void>;
}

/** The observers of the bus. */
export interface ClusterObservers {
  readonly logger: Logger;
  readonly figures: Figures;
  /** Undefined without tracing. */
  readonly spans: Pick<Spans, 'questions'> | undefined;
}

/** Undefined without a configured bus: then hubs find each other's changes by polling the store. */
export function buildCluster(
  { nats }: HubConfig,
  clock: Clock,
  { logger, figures, spans }: ClusterObservers,
): Cluster | undefined {
  if (nats === undefined) return undefined;
  let lastTrouble: string | undefined;
  const bus = new NatsBus(nats, {
    state(isConnected, error) {
      const trouble = isConnected ? undefined : (error?.message ?? 'the connection was lost');
      if (isConnected) logger.info('the bus is reached');
      // The connection is retried each second, so a repeated error is logged once.
      else if (trouble !== lastTrouble)
        logger.warn({ err: error }, 'the bus is not reached, and tried again');
      lastTrouble = trouble;
    },
    bug: (err) => logger.error({ err }, 'trouble with the bus'),
    answered: (sentAtMs) => figures.busRoundTrip.observeSince(sentAtMs),
    ...spans?.questions,
  });
  const membership = new HubMembership(bus, clock);
  return {
    bus,
    invalidations: new Invalidations(bus, membership, clock),
    eventBus: new SharedEventBus(bus, membership),
    others: {
      get count() {
        return membership.others.length;
      },
    },
    figures: {
      isConnected: () => bus.isConnected,
      ignored: () => bus.ignored,
      others: () => membership.others.length,
    },
    join(hubId, deps) {
      bus.join(hubId);
      onInvalidation(bus, { ...deps, feeds: new FeedSource(bus, clock, deps.reportBug) });
    },
    async leave() {
      membership.leave();
      await bus.close();
    },
  };
}
