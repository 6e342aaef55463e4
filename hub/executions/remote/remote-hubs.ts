import type { BusFrameOf, CalledAs, Fed, TakenAs } from '@svc/core/bus/frame';
import type { MovingAgents } from '../../agents/moving-agents.ts';
import type { Bus, BusReply } from '../../platform/bus/bus.ts';
import type { Random } from '../../platform/world.ts';
import { FeedSink } from './feed-sink.ts';
import type { RemoteAgents } from './remote-agents.ts';

/** A hub that has an agent answers at once. One that does not answer may have begun the execution; the record decides. */
const TAKEN_WITHIN_MS = 5_000;

/** An open feed of a remote execution, from a number on. All output before that number is stored. */
export interface OpenFeed extends Fed {
  readonly hubId: string;
  readonly sink: FeedSink;
}

/** The answer to a claim. `unreceived`: the hub did not receive it. `unanswered`: the hub may have received it. */
type TakeOutcome =
  | { readonly kind: TakenAs; readonly feed: OpenFeed | undefined }
  | { readonly kind: 'unreceived' | 'unanswered' };

/**
 * The answer to a forwarded call. `unreceived`: the hub did not receive it, or does not know such frames. `unanswered`: it may have.
 */
export type ForwardOutcome =
  | Exclude<CalledAs, { as: 'running' }>
  | { readonly as: 'running'; readonly feed: OpenFeed | undefined }
  | { readonly as: 'unreceived' | 'unanswered' };

type RemoteHubsDeps = {
  readonly random: Random;
  readonly moving: MovingAgents;
  readonly agents: RemoteAgents;
};

/** Requests to other hubs: to run executions that they have the agent for, and to send the output of their executions. */
export class RemoteHubs {
  readonly agents: RemoteAgents;
  readonly moving: MovingAgents;
  readonly #bus: Bus;
  readonly #random: Random;
  readonly #sinks = new Set<FeedSink>();

  constructor(bus: Bus, { random, moving, agents }: RemoteHubsDeps) {
    this.agents = agents;
    this.moving = moving;
    this.#bus = bus;
    this.#random = random;
    bus.onState((isConnected) => {
      agents.forgetAll();
      // Messages sent meanwhile are lost.
      if (!isConnected) for (const sink of this.#sinks) sink.close();
    });
  }

  /** Lets a hub claim an execution that is stored as queued at this hub. @param isFollowed whether its output is wanted */
  async take(hubId: string, executionId: string, isFollowed: boolean): Promise<TakeOutcome> {
    const sink = isFollowed ? this.#sink(executionId) : undefined;
    const reply = await this.#bus.ask(hubId, { type: 'take', executionId, feed: sink?.id }, TAKEN_WITHIN_MS);
    const taken = reply.kind === 'answered' && reply.frame.type === 'taken' ? reply.frame : undefined;
    const feed = this.#opened(sink, hubId, taken?.fed);
    return taken === undefined ? { kind: unansweredBy(reply) } : { kind: taken.as, feed };
  }

  /** Forwards a call that is not stored yet. @param isFollowed whether its output is wanted */
  async call(hubId: string, call: BusFrameOf<'call'>, isFollowed: boolean): Promise<ForwardOutcome> {
    const sink = isFollowed ? this.#sink(call.executionId) : undefined;
    const reply = await this.#bus.ask(hubId, { ...call, feed: sink?.id }, TAKEN_WITHIN_MS);
    const outcome =
      reply.kind === 'answered' && reply.frame.type === 'called' ? reply.frame.outcome : undefined;
    const feed = this.#opened(sink, hubId, outcome?.as === 'running' ? outcome.fed : undefined);
    if (outcome === undefined) return { as: unansweredBy(reply) };
    return outcome.as === 'running' ? { as: 'running', feed } : outcome;
  }

  /** Follows a remote execution; undefined when the hub does not have it, or does not answer. */
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

  /** The feed that the hub granted with its answer. */
  #opened(sink: FeedSink | undefined, hubId: string, fed: Fed | undefined): OpenFeed | undefined {
    sink?.comesFrom(hubId);
    if (sink !== undefined && fed !== undefined) return { ...fed, hubId, sink };
    if (sink !== undefined) this.close(sink);
    return undefined;
  }

  #sink(executionId: string): FeedSink {
    const sink = new FeedSink(this.#bus, this.#random, executionId);
    this.#sinks.add(sink);
    return sink;
  }
}

function unansweredBy({ kind }: BusReply): 'unreceived' | 'unanswered' {
  return kind === 'nobody' ? 'unreceived' : 'unanswered';
}
