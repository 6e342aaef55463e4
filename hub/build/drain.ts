import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentRegistry } from '../agent-links/registry.ts';
import type { EventFeeds } from '../events/event-feeds.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import type { Cluster } from './cluster.ts';
import type { HubServer } from './listen.ts';

/** Bun does not say when the last answer has gone out. */
const LOOK_MS = 20;

interface DrainParts {
  readonly server: Pick<HubServer, 'pendingRequests'>;
  readonly registry: Pick<AgentRegistry, 'count' | 'moveAll' | 'workspaces'>;
  /** Undefined: no other hub would take the agents. */
  readonly cluster: Pick<Cluster, 'others' | 'hints'> | undefined;
  readonly elsewhere: Pick<RemoteHubs, 'moving'> | undefined;
  readonly eventFeeds: Pick<EventFeeds, 'close'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** In milliseconds: until balancers have noticed, and then until callers are done. */
interface WaitLimit {
  readonly noticedMs: number;
  readonly graceMs: number;
}

/**
 * A hub that is to stop while others go on, without a call that fails (decision 30). First it only says that it is not ready,
 * and does everything as before, until balancers have noticed and what is new goes elsewhere. Then its agents are asked to
 * move: what they run goes on there, and is followed from here. At last whoever still waits here gets an answer.
 */
export class Drain {
  readonly #hurried = new AbortController();
  #isOn = false;
  #hasMoved = false;

  /** `/ready` says so, and each answer ends its connection. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Agents that come now are sent away again. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** Somebody has lost patience: nothing is waited for any more. */
  get hurried(): AbortSignal {
    return this.#hurried.signal;
  }

  hurry(): void {
    this.#hurried.abort();
  }

  /** Answers how long whoever is left may be waited for. */
  async run(parts: DrainParts, { noticedMs, graceMs }: WaitLimit): Promise<number> {
    this.#isOn = true;
    parts.logger.info({ forMs: noticedMs }, 'the hub is to stop: it says so, and goes on');
    await this.#pause(noticedMs);
    const { cluster } = parts;
    // Alone it keeps its agents to the end: there is no other way for their results to get here.
    if (cluster === undefined || cluster.others.count === 0) return graceMs;
    this.#move(parts, cluster);
    // Streams that have no end of their own: who reads them connects again, elsewhere.
    parts.eventFeeds.close();
    const untilMs = performance.now() + graceMs;
    const isNeeded = () => parts.server.pendingRequests > 0 || parts.registry.count > 0;
    while (isNeeded() && performance.now() < untilMs && !this.#hurried.signal.aborted)
      await this.#pause(LOOK_MS);
    // What is left has to see for itself.
    const left = { requests: parts.server.pendingRequests, agents: parts.registry.count };
    parts.logger.info(left, 'the hub has handed over');
    return 0;
  }

  #move({ registry, elsewhere, logger }: DrainParts, { hints }: Pick<Cluster, 'hints'>): void {
    this.#hasMoved = true;
    const workspaceIds = registry.workspaces();
    // Before the first of them has gone: calls wait for them, here and elsewhere.
    elsewhere?.moving.note(workspaceIds);
    hints.moves(workspaceIds);
    registry.moveAll();
    logger.info({ agents: registry.count }, 'agents are asked to move');
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#hurried.signal }).catch(() => undefined);
  }
}

/** Whether a promise settles, in whichever way, within so long, and before somebody has lost patience. */
export function settlesWithin(
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
