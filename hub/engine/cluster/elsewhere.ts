import type { Fed, TakenAs } from '@svc/core/bus/frame';
import type { Bus } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/world.ts';
import type { AgentsElsewhere } from './agents-elsewhere.ts';
import { FeedSink } from './feed-sink.ts';
import { MovingAgents } from './moving-agents.ts';

/** A hub that has an agent answers at once. One that does not answer may have begun it all the same: the record says. */
const TAKEN_WITHIN_MS = 5_000;

/** Output of an execution that another hub has, from a number on: what comes before it is on record. */
export interface OpenFeed extends Fed {
  readonly hubId: string;
  readonly sink: FeedSink;
}

/** What came of asking a hub for it: `unheard`, it has not heard of it; `unanswered`, it may have. */
export type TakeOutcome =
  | { readonly kind: TakenAs; readonly feed: OpenFeed | undefined }
  | { readonly kind: 'unheard' | 'unanswered' };

type ElsewherePorts = { readonly random: Random; readonly clock: Clock; readonly agents: AgentsElsewhere };

/** What this hub asks of others: to run what they have the agent for, and for the output of what they run. */
export class Elsewhere {
  readonly agents: AgentsElsewhere;
  readonly moving: MovingAgents;
  readonly #bus: Bus;
  readonly #random: Random;
  readonly #sinks = new Set<FeedSink>();

  constructor(bus: Bus, { random, clock, agents }: ElsewherePorts) {
    this.agents = agents;
    this.moving = new MovingAgents(clock);
    this.#bus = bus;
    this.#random = random;
    bus.onState((isConnected) => {
      agents.forgetAll();
      // What was said meanwhile is lost.
      if (!isConnected) for (const sink of this.#sinks) sink.close();
    });
  }

  /** It is on record as queued, and this hub's. @param isFollowed whether its output is wanted */
  async take(hubId: string, executionId: string, isFollowed: boolean): Promise<TakeOutcome> {
    const sink = isFollowed ? this.#sink(executionId) : undefined;
    const frame = { type: 'take', executionId, feed: sink?.id } as const;
    const asked = await this.#bus.ask(hubId, frame, TAKEN_WITHIN_MS);
    const taken = asked.kind === 'answered' && asked.frame.type === 'taken' ? asked.frame : undefined;
    sink?.comesFrom(hubId);
    const feed = sink && taken?.fed && { ...taken.fed, hubId, sink };
    if (sink !== undefined && feed === undefined) this.close(sink);
    if (taken !== undefined) return { kind: taken.as, feed };
    return { kind: asked.kind === 'nobody' ? 'unheard' : 'unanswered' };
  }

  /** Undefined: the hub does not have the execution, or does not say so. */
  async follow(hubId: string, executionId: string): Promise<OpenFeed | undefined> {
    if (!this.#bus.isConnected) return undefined;
    const sink = this.#sink(executionId);
    const fed = await sink.open(hubId);
    if (fed !== undefined) return { ...fed, hubId, sink };
    this.close(sink);
    return undefined;
  }

  close(sink: FeedSink): void {
    this.#sinks.delete(sink);
    sink.close();
  }

  #sink(executionId: string): FeedSink {
    const sink = new FeedSink(this.#bus, this.#random, executionId);
    this.#sinks.add(sink);
    return sink;
  }
}
