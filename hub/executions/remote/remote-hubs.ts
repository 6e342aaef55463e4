import type { BusFrameOf, CalledAs, Fed, TakenAs } from '@svc/core/bus/frame';
import { isHosted, NO_WORKSPACE } from '../../agents/host-address.ts';
import type { RegisteredEndpoint } from '../../endpoints/endpoint-ports.ts';
import type { Asked, Bus } from '../../platform/bus/bus.ts';
import type { Clock, Random } from '../../platform/world.ts';
import { FeedSink } from './feed-sink.ts';
import type { RemoteAgents } from './remote-agents.ts';

/** A hub that has an agent answers at once. One that does not answer may have begun it all the same: the record says. */
const TAKEN_WITHIN_MS = 5_000;

/** Output of an execution that another hub has, from a number on: what comes before it is on record. */
export interface OpenFeed extends Fed {
  readonly hubId: string;
  readonly sink: FeedSink;
}

/** What came of asking a hub for it: `unheard`, it has not heard of it; `unanswered`, it may have. */
type TakeOutcome =
  | { readonly kind: TakenAs; readonly feed: OpenFeed | undefined }
  | { readonly kind: 'unheard' | 'unanswered' };

/** What came of giving it a call: `unheard`, it has not heard of it, or does not know such frames; `unanswered`, it may have. */
export type CallOutcome =
  | Exclude<CalledAs, { as: 'running' }>
  | { readonly as: 'running'; readonly feed: OpenFeed | undefined }
  | { readonly as: 'unheard' | 'unanswered' };

type ElsewherePorts = { readonly random: Random; readonly clock: Clock; readonly agents: RemoteAgents };

/** What this hub asks of others: to run what they have the agent for, and for the output of what they run. */
export class RemoteHubs {
  readonly agents: RemoteAgents;
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
    const asked = await this.#bus.ask(hubId, { type: 'take', executionId, feed: sink?.id }, TAKEN_WITHIN_MS);
    const taken = asked.kind === 'answered' && asked.frame.type === 'taken' ? asked.frame : undefined;
    const feed = this.#opened(sink, hubId, taken?.fed);
    return taken === undefined ? { kind: unansweredBy(asked) } : { kind: taken.as, feed };
  }

  /** Nothing of it is on record. @param isFollowed whether its output is wanted */
  async call(hubId: string, call: BusFrameOf<'call'>, isFollowed: boolean): Promise<CallOutcome> {
    const sink = isFollowed ? this.#sink(call.executionId) : undefined;
    const asked = await this.#bus.ask(hubId, { ...call, feed: sink?.id }, TAKEN_WITHIN_MS);
    const outcome =
      asked.kind === 'answered' && asked.frame.type === 'called' ? asked.frame.outcome : undefined;
    const feed = this.#opened(sink, hubId, outcome?.as === 'running' ? outcome.fed : undefined);
    if (outcome === undefined) return { as: unansweredBy(asked) };
    return outcome.as === 'running' ? { as: 'running', feed } : outcome;
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

  /** What the hub has said about the feed that it was asked for. */
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

function unansweredBy({ kind }: Asked): 'unheard' | 'unanswered' {
  return kind === 'nobody' ? 'unheard' : 'unanswered';
}

/** An agent connects again at once; where a balancer sends it back to the hub that stops, it tries a few times. */
const MOVES_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/**
 * Whose agents are between two hubs, because the one that they were connected to stops: calls wait for them rather than fail
 * (decision 30). Elsewhere an agent that is not there is offline at once.
 */
export class MovingAgents {
  readonly #clock: Clock;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param workspaceIds and what stands for a workspace where hosts of the hosted runner are meant */
  note(workspaceIds: readonly string[]): void {
    const nowMs = this.#clock.nowMs();
    for (const [id, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(id);
    for (const id of workspaceIds) this.#untilMs.set(id, nowMs + MOVES_WITHIN_MS);
  }

  /** Settles when it is time to look again whether the agent of an endpoint has come; with false when none is expected. */
  async comes(target: RegisteredEndpoint): Promise<boolean> {
    const untilMs = this.#untilMs.get(isHosted(target) ? NO_WORKSPACE : target.workspaceId);
    const nowMs = this.#clock.nowMs();
    if (untilMs === undefined || untilMs <= nowMs) return false;
    await new Promise<void>((resolve) => this.#clock.at(nowMs + LOOK_MS, resolve));
    return true;
  }
}
