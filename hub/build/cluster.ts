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
import { measuredBus } from '../telemetry/measured-ports.ts';
import type { Gauges } from '../telemetry/metrics.ts';
import type { Spans } from '../telemetry/spans.ts';
import { type OnInvalidationPorts, onInvalidation } from './on-invalidation.ts';

/** What a hub has to do with others. */
export interface Cluster {
  readonly bus: Bus;
  readonly hints: Invalidations;
  readonly news: EventBus;
  /** How many other hubs are on the bus. */
  readonly others: { readonly count: number };
  readonly figures: NonNullable<Gauges['bus']>;
  /** From now on this hub tells and is told. */
  join(hubId: string, ports: Omit<OnInvalidationPorts, 'feeds'>): void;
  leave(): Promise<void>;
}

/** Who hears of the bus. */
export interface ClusterObservers {
  readonly logger: Logger;
  readonly figures: Figures;
  /** Undefined where nothing is traced. */
  readonly spans: Pick<Spans, 'bus'> | undefined;
}

/** Undefined where no bus is configured: then hubs find in the store what others have done, in their own time. */
export function buildCluster(
  { nats }: HubConfig,
  clock: Clock,
  { logger, figures, spans }: ClusterObservers,
): Cluster | undefined {
  if (nats === undefined) return undefined;
  let lastTrouble: string | undefined;
  const broker = new NatsBus(nats, {
    state(isConnected, error) {
      const trouble = isConnected ? undefined : (error?.message ?? 'the connection was lost');
      if (isConnected) logger.info('the bus is reached');
      // It is tried each second: the same words once.
      else if (trouble !== lastTrouble)
        logger.warn({ err: error }, 'the bus is not reached, and tried again');
      lastTrouble = trouble;
    },
    bug: (err) => logger.error({ err }, 'trouble with the bus'),
  });
  const measured = measuredBus(figures, broker);
  const bus = spans?.bus(measured) ?? measured;
  const roster = new HubMembership(bus, clock);
  return {
    bus,
    hints: new Invalidations(bus, roster, clock),
    news: new SharedEventBus(bus, roster),
    others: {
      get count() {
        return roster.others.length;
      },
    },
    figures: {
      isConnected: () => bus.isConnected,
      ignored: () => bus.ignored,
      others: () => roster.others.length,
    },
    join(hubId, ports) {
      bus.join(hubId);
      onInvalidation(bus, { ...ports, feeds: new FeedSource(bus, clock, ports.reportBug) });
    },
    async leave() {
      roster.leave();
      await bus.close();
    },
  };
}
