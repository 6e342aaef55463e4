import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentRegistry } from '../agent-links/registry.ts';
import type { EventFeeds } from '../events/event-feeds.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { TailReaders } from '../executions/tail/tail-readers.ts';
import type { Cluster } from './cluster.ts';
import type { HubListener } from './listen.ts';

/** A pause, because Bun does not report when the last response was sent. */
const POLL_MS = 20;
/** Callers that keep a connection open learn within this time that it closes, if they use it. */
const KEPT_NOTICE_MS = 2_000;

interface DrainParts {
  readonly listener: Pick<HubListener, 'server' | 'isKept' | 'acceptNoMore'>;
  readonly registry: Pick<AgentRegistry, 'count' | 'moveAll' | 'workspaces'>;
  /** Undefined: no other hub would accept the agents. */
  readonly cluster: Pick<Cluster, 'others' | 'invalidations'> | undefined;
  readonly remoteHubs: Pick<RemoteHubs, 'moving'> | undefined;
  readonly eventFeeds: Pick<EventFeeds, 'close'>;
  readonly tailReaders: Pick<TailReaders, 'close'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** In milliseconds: the time until balancers notice, then the time for callers to finish. */
interface WaitLimit {
  readonly noticedMs: number;
  readonly graceMs: number;
}

/**
 * Stops a hub while other hubs continue (decision 30, liveness), or while its socket is kept for the next process (decision 98,
 * restart without a failed call), without a failed call.
 * 1. The hub reports that it is not ready, and works as before, until balancers have noticed and send new calls to other hubs.
 * 2. Its agents are asked to move. Their executions continue at other hubs, and this hub follows them.
 * 3. Callers that still wait at this hub get their answers. With a kept socket, new connections wait for the next process.
 */
export class Drain {
  readonly #hurried = new AbortController();
  #isOn = false;
  #hasMoved = false;

  /** True once `/ready` fails and each answer closes its connection. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** True once connecting agents are refused. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Ends all waiting, because an operator has asked for it. */
  get hurried(): AbortSignal {
    return this.#hurried.signal;
  }

  hurry(): void {
    this.#hurried.abort();
  }

  /** Returns how long to wait for the remaining callers, in milliseconds. */
  async run(parts: DrainParts, { noticedMs, graceMs }: WaitLimit): Promise<number> {
    this.#isOn = true;
    const { cluster, listener, registry } = parts;
    const forMs = Math.max(noticedMs, listener.isKept ? KEPT_NOTICE_MS : 0);
    parts.logger.info({ forMs }, 'the hub is going to stop: /ready reports it, and calls continue');
    await this.#pause(forMs);
    const isLast = cluster === undefined || cluster.others.count === 0;
    // A single hub keeps its agents to the end, because their results have no other way.
    if (isLast && !listener.isKept) return graceMs;
    if (!isLast) this.#move(parts, cluster);
    listener.acceptNoMore();
    // Endless streams close; their readers reconnect to another hub, or to the next process.
    parts.eventFeeds.close();
    if (listener.isKept) parts.tailReaders.close();
    const untilMs = performance.now() + graceMs;
    const isNeeded = () => listener.server.pendingRequests > 0 || (!isLast && registry.count > 0);
    while (isNeeded() && performance.now() < untilMs && !this.#hurried.signal.aborted)
      await this.#pause(POLL_MS);
    // Their callers see the end of the connection before they send on it, and not the refusal of a hub that stops.
    listener.server.closeIdleConnections();
    // The time is over: the remaining callers are disconnected.
    const left = { requests: listener.server.pendingRequests, agents: registry.count };
    parts.logger.info(left, 'the drain has ended');
    return 0;
  }

  #move(
    { registry, remoteHubs, logger }: DrainParts,
    { invalidations }: Pick<Cluster, 'invalidations'>,
  ): void {
    this.#hasMoved = true;
    const workspaceIds = registry.workspaces();
    // Announced before the first agent leaves, so that calls at every hub wait for the agents.
    remoteHubs?.moving.note(workspaceIds);
    invalidations.moves(workspaceIds);
    registry.moveAll();
    logger.info({ agents: registry.count }, 'agents are asked to move');
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#hurried.signal }).catch(() => undefined);
  }
}

/** Whether a promise settles within this time, and before an operator hurries the stop. */
export function settlesUnhurried(
  promise: Promise<unknown>,
  ms: number,
  hurried?: AbortSignal,
): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const giveUp = () => resolve(false);
  const timer = setTimeout(giveUp, hurried?.aborted ? 0 : ms);
  hurried?.addEventListener('abort', giveUp, { once: true });
  const settle = () => resolve(true);
  promise.then(settle, settle);
  return settled.finally(() => {
    clearTimeout(timer);
    hurried?.removeEventListener('abort', giveUp);
  });
}
