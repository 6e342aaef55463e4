import type { Ended } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import type { Execution, ExecutionLedger, OutputChunk } from './execution-ports.ts';
import type { LiveExecution } from './live/live-execution.ts';
import type { RunningExecutions } from './live/running-executions.ts';
import type { NextChange, StateChanges } from './live/state-changes.ts';
import type { FeedOutcome } from './remote/feed-sink.ts';
import type { OpenFeed, RemoteHubs } from './remote/remote-hubs.ts';
import { isResultPiece, storedOutput } from './stored-output.ts';

/** Output, and at last how it ended; or that the reader did not keep up. */
export type Followed =
  | { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] }
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'dropped' };

export interface Following extends AsyncIterable<Followed> {
  /** To be called when nobody reads any more. */
  stop(): void;
}

interface FollowPorts {
  readonly ledger: Pick<ExecutionLedger, 'find' | 'output'>;
  readonly executions: RunningExecutions;
  readonly changes: StateChanges;
  /** Undefined where there are no other hubs to be asked. */
  readonly elsewhere: RemoteHubs | undefined;
  readonly hubId: string;
}

/** What a reader follows; whose it is and how it stands is looked at again as it goes on. */
type Subject = Pick<Execution, 'id' | 'state' | 'hubId'> & Partial<Pick<Execution, 'lastSeq'>>;

/** A hub that feeds this one may die and say nothing. */
const LOOK_AT_FED_MS = 5_000;

/**
 * The output of an execution after `afterSeq`: what is on record, then what comes, without gap or double (decision 20), from
 * whichever hub has it, and wherever it goes meanwhile (decision 29). Of one that waits nothing until it starts (decision 36).
 *
 * @param feed of one that another hub has just begun
 */
export function followExecution(
  ports: FollowPorts,
  execution: Subject,
  afterSeq: number,
  feed?: OpenFeed,
): Following {
  const live = ports.executions.find(execution.id)?.live;
  const fed = feed && ports.elsewhere && remoteSource(ports.elsewhere, feed);
  // From this moment on nothing of it is missed; what is on record by now is read later.
  const source = live === undefined ? fed : hereSource(live);
  return new Follower(ports, { execution, afterSeq, source });
}

/** Follows one that has just been dispatched here. */
export function followNew(ports: FollowPorts, live: LiveExecution): Following {
  const execution = { id: live.id, state: 'running', hubId: ports.hubId } as const;
  return new Follower(ports, { execution, afterSeq: 0, source: hereSource(live) });
}

interface Start {
  readonly execution: Subject;
  readonly afterSeq: number;
  readonly source: OutputSource | undefined;
}

class Follower implements Following {
  readonly #ports: FollowPorts;
  /** As it was when it was last decided where its output comes from. */
  #execution: Subject;
  /** All up to this number has been given to the reader, who may have more than the record: it comes again from the agent. */
  #last: number;
  #source: OutputSource | undefined;
  #change: NextChange | undefined;
  #isStopped = false;

  constructor(ports: FollowPorts, { execution, afterSeq, source }: Start) {
    this.#ports = ports;
    this.#execution = execution;
    this.#last = afterSeq;
    this.#source = source;
  }

  stop(): void {
    this.#isStopped = true;
    this.#source?.close();
    this.#change?.wake();
  }

  /** NOTE: Flat, because each answer of the hub comes through here; what is asked for with `yield*` is rare. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Followed> {
    for (;;) {
      const source = this.#source;
      if (source === undefined || source.fromSeq > this.#last + 1) yield* this.#recorded(source?.fromSeq);
      while (source !== undefined) {
        const next = await this.#nextOf(source);
        if (next.kind === 'output') {
          const fresh = this.#fresh(next.chunks);
          if (fresh.length > 0) yield { kind: 'output', chunks: fresh };
          continue;
        }
        if (next.kind === 'dropped') return yield { kind: 'dropped' };
        const ended = next.kind === 'ended' ? (next.ended ?? source.ended) : undefined;
        if (ended !== undefined) return yield { kind: 'ended', ended: await ended };
        break;
      }
      const now = this.#execution;
      if (source === undefined && hasEnded(now.state))
        return yield { kind: 'ended', ended: now as Subject & Ended };
      if (!(await this.#goOn())) return yield { kind: 'dropped' };
    }
  }

  #fresh(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
    const first = chunks[0]?.seq ?? 0;
    const fresh = first > this.#last ? chunks : chunks.filter(({ seq }) => seq > this.#last);
    this.#last = Math.max(this.#last, chunks.at(-1)?.seq ?? 0);
    return fresh;
  }

  /** What is on record and was not given yet, before this number. */
  async *#recorded(beforeSeq: number | undefined): AsyncGenerator<Followed> {
    const { id, state } = this.#execution;
    if (state === 'pending_approval' || state === 'queued') return;
    for await (const chunk of storedOutput(this.#ports.ledger, id, this.#last)) {
      if (beforeSeq !== undefined && chunk.seq >= beforeSeq) return;
      this.#last = chunk.seq;
      if (!isResultPiece(chunk)) yield { kind: 'output', chunks: [chunk] };
    }
  }

  /** What another hub feeds is looked after: it may have ended, have gone elsewhere, or be ahead of a feed that says nothing. */
  async #nextOf(source: OutputSource): Promise<SourceEvent> {
    const pending = source.next();
    if (source.hubId === undefined) return pending;
    for (;;) {
      const change = this.#nextChange(LOOK_AT_FED_MS);
      const news = await Promise.race([pending, change.happened]);
      change.wake();
      if (news !== undefined) return news;
      const now = await this.#look();
      const { state, hubId, lastSeq = 0 } = now;
      if (this.#isStopped || hasEnded(state) || hubId !== source.hubId || lastSeq > this.#last)
        return { kind: 'broken' };
    }
  }

  /** Finds out where it goes on, and waits while there is nothing new; false when nobody reads any more. */
  async #goOn(): Promise<boolean> {
    this.#source?.close();
    this.#source = undefined;
    while (!this.#isStopped) {
      // Asked for before the look at the store, so that no change falls between the two.
      const change = this.#nextChange();
      const before = this.#execution;
      const now = await this.#look();
      this.#execution = now;
      this.#source = await this.#sourceOf(now);
      const isStill = now.state === before.state && now.hubId === before.hubId && !hasEnded(now.state);
      if (isStill && this.#source === undefined) await change.happened;
      change.wake();
      // Of one that waits still there is nothing to be read.
      if (!isStill || this.#source !== undefined || now.state === 'running') return !this.#isStopped;
    }
    return false;
  }

  async #sourceOf({ id, state, hubId }: Subject): Promise<OutputSource | undefined> {
    const { executions, elsewhere } = this.#ports;
    const live = executions.find(id)?.live;
    if (live !== undefined) return hereSource(live);
    if (state !== 'running' || hubId === this.#ports.hubId || elsewhere === undefined) return undefined;
    const feed = await elsewhere.follow(hubId, id);
    return feed && remoteSource(elsewhere, feed);
  }

  async #look(): Promise<Subject> {
    return (await this.#ports.ledger.find(this.#execution.id)) ?? this.#execution;
  }

  #nextChange(lookAgainMs?: number): NextChange {
    this.#change = this.#ports.changes.next(this.#execution.id, lookAgainMs);
    // Whoever has stopped meanwhile waits for nothing.
    if (this.#isStopped) this.#change.wake();
    return this.#change;
  }
}

/** An event of a running execution. `broken` and `moved`: this source ends, and the record says which hub continues. */
type SourceEvent = FeedOutcome;

/** The source of a running execution's output: its agent at this hub, or a remote hub. */
interface OutputSource {
  /** All output before this number is stored. */
  readonly fromSeq: number;
  /** The hub that sends the output; undefined: this hub. */
  readonly hubId: string | undefined;
  /** The end, where it is known without reading the record. */
  readonly ended: Promise<Ended> | undefined;
  next(): Promise<SourceEvent>;
  /** Closes the source. */
  close(): void;
}

function hereSource(live: LiveExecution): OutputSource {
  const { reader, unstored } = live.follow();
  let first: readonly OutputChunk[] = unstored;
  return {
    fromSeq: unstored[0]?.seq ?? live.receivedSeq + 1,
    hubId: undefined,
    ended: live.ended,
    next() {
      if (first.length === 0) return reader.next();
      const chunks = first;
      first = [];
      return Promise.resolve({ kind: 'output', chunks });
    },
    close: () => live.unfollow(reader),
  };
}

function remoteSource(elsewhere: RemoteHubs, { sink, fromSeq, hubId }: OpenFeed): OutputSource {
  return {
    fromSeq,
    hubId,
    ended: undefined,
    next: () => sink.next(),
    close: () => elsewhere.close(sink),
  };
}
