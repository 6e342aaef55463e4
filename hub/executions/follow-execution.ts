import type { Ended } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import type { Execution, ExecutionLedger, OutputChunk } from './execution-ports.ts';
import type { ChangeWaiters, NextChange } from './live/change-waiters.ts';
import type { LiveExecution } from './live/live-execution.ts';
import type { RunningExecutions } from './live/running-executions.ts';
import type { FeedOutcome } from './remote/feed-sink.ts';
import type { OpenFeed, RemoteHubs } from './remote/remote-hubs.ts';
import { isResultPiece, storedOutput } from './stored-output.ts';

/** Output, then the end; or `dropped` for a reader that was too slow. */
export type Followed =
  | { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] }
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'dropped' };

export interface Following extends AsyncIterable<Followed> {
  /** Ends the reading. */
  stop(): void;
}

export interface FollowDeps {
  readonly ledger: Pick<ExecutionLedger, 'find' | 'output'>;
  readonly executions: RunningExecutions;
  readonly changes: ChangeWaiters;
  /** Undefined without a bus. */
  readonly remoteHubs: RemoteHubs | undefined;
  readonly hubId: string;
}

/** The followed execution. Its hub and its state are read again while it is followed. */
type Subject = Pick<Execution, 'id' | 'state' | 'hubId'> & Partial<Pick<Execution, 'lastSeq'>>;

/** The interval of polls while a remote hub sends output: that hub may die without a message. */
const POLL_FEED_MS = 5_000;

/**
 * The output of an execution after `afterSeq`: stored output first, then live output, without gaps or repetition (decision 20,
 * asynchronous calls and records). It works for executions of every hub, also when they move (decision 29, numbered output). A
 * queued or pending execution has no output until it starts (decision 36, deciding on an approval).
 *
 * @param feed of an execution that another hub has just begun
 */
export function followExecution(
  deps: FollowDeps,
  execution: Subject,
  afterSeq: number,
  feed?: OpenFeed,
): Following {
  // An ended execution is read from the record alone: a hub that took it over and lost it again may still have it as running.
  const live = hasEnded(execution.state) ? undefined : deps.executions.find(execution.id)?.live;
  const fed = feed && deps.remoteHubs && remoteSource(deps.remoteHubs, feed);
  // From here on no output is missed; the stored output is read later.
  const source = live === undefined ? fed : hereSource(live);
  return new Follower(deps, { execution, afterSeq, source });
}

/** Follows an execution that was just dispatched at this hub. */
export function followNew(deps: FollowDeps, live: LiveExecution): Following {
  const execution = { id: live.id, state: 'running', hubId: deps.hubId } as const;
  return new Follower(deps, { execution, afterSeq: 0, source: hereSource(live) });
}

/** The stored output after `afterSeq`, up to `untilSeq`. It ends without the end of the execution. */
export function storedFollowing(
  ledger: Pick<ExecutionLedger, 'output'>,
  executionId: string,
  afterSeq: number,
  untilSeq: number,
): Following {
  let isStopped = false;
  return {
    stop() {
      isStopped = true;
    },
    async *[Symbol.asyncIterator]() {
      for await (const chunk of storedOutput(ledger, executionId, afterSeq)) {
        if (chunk.seq > untilSeq) return;
        if (isStopped) return yield { kind: 'dropped' };
        if (!isResultPiece(chunk)) yield { kind: 'output', chunks: [chunk] };
      }
    },
  };
}

interface Start {
  readonly execution: Subject;
  readonly afterSeq: number;
  readonly source: OutputSource | undefined;
}

class Follower implements Following {
  readonly #deps: FollowDeps;
  /** The execution as it was when its source was last chosen. */
  #execution: Subject;
  /** The reader has all output up to this number. It may have more than the record: the agent sends the difference again. */
  #last: number;
  #source: OutputSource | undefined;
  #change: NextChange | undefined;
  #isStopped = false;

  constructor(deps: FollowDeps, { execution, afterSeq, source }: Start) {
    this.#deps = deps;
    this.#execution = execution;
    this.#last = afterSeq;
    this.#source = source;
  }

  stop(): void {
    this.#isStopped = true;
    this.#source?.close();
    this.#change?.wake();
  }

  /** NOTE: The loop is flat because every answer of the hub runs through it; the `yield*` branches are rare. */
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
      if (!(await this.#findNextSource())) return yield { kind: 'dropped' };
    }
  }

  #fresh(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
    const first = chunks[0]?.seq ?? 0;
    const fresh = first > this.#last ? chunks : chunks.filter(({ seq }) => seq > this.#last);
    this.#last = Math.max(this.#last, chunks.at(-1)?.seq ?? 0);
    return fresh;
  }

  /** The stored output that the reader does not have yet, before this number. */
  async *#recorded(beforeSeq: number | undefined): AsyncGenerator<Followed> {
    const { id, state } = this.#execution;
    if (state === 'pending_approval' || state === 'queued') return;
    for await (const chunk of storedOutput(this.#deps.ledger, id, this.#last)) {
      if (beforeSeq !== undefined && chunk.seq >= beforeSeq) return;
      this.#last = chunk.seq;
      if (!isResultPiece(chunk)) yield { kind: 'output', chunks: [chunk] };
    }
  }

  /**
   * The next event. A remote source is checked against the record: the execution may have ended, moved, or be ahead of a silent
   * feed.
   */
  async #nextOf(source: OutputSource): Promise<SourceEvent> {
    const pending = source.next();
    if (source.hubId === undefined) return pending;
    for (;;) {
      const change = this.#nextChange(POLL_FEED_MS);
      const event = await Promise.race([pending, change.happened]);
      change.wake();
      if (event !== undefined) return event;
      const now = await this.#reload();
      const { state, hubId, lastSeq = 0 } = now;
      if (this.#isStopped || hasEnded(state) || hubId !== source.hubId || lastSeq > this.#last)
        return { kind: 'broken' };
    }
  }

  /** Finds the next source, and waits until there is one; false when the reading has ended. */
  async #findNextSource(): Promise<boolean> {
    this.#source?.close();
    this.#source = undefined;
    while (!this.#isStopped) {
      // Requested before the store is read, so that no change between the two is missed.
      const change = this.#nextChange();
      const before = this.#execution;
      const now = await this.#reload();
      this.#execution = now;
      this.#source = await this.#sourceOf(now);
      const isStill = now.state === before.state && now.hubId === before.hubId && !hasEnded(now.state);
      if (isStill && this.#source === undefined) await change.happened;
      change.wake();
      // An execution that still waits has no output.
      if (!isStill || this.#source !== undefined || now.state === 'running') return !this.#isStopped;
    }
    return false;
  }

  async #sourceOf({ id, state, hubId }: Subject): Promise<OutputSource | undefined> {
    const { executions, remoteHubs } = this.#deps;
    const live = executions.find(id)?.live;
    if (live !== undefined) return hereSource(live);
    if (state !== 'running' || hubId === this.#deps.hubId || remoteHubs === undefined) return undefined;
    const feed = await remoteHubs.follow(hubId, id);
    return feed && remoteSource(remoteHubs, feed);
  }

  async #reload(): Promise<Subject> {
    return (await this.#deps.ledger.find(this.#execution.id)) ?? this.#execution;
  }

  #nextChange(pollMs?: number): NextChange {
    this.#change = this.#deps.changes.next(this.#execution.id, pollMs);
    // A stopped reader waits for nothing.
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

function remoteSource(remoteHubs: RemoteHubs, { sink, fromSeq, hubId }: OpenFeed): OutputSource {
  return {
    fromSeq,
    hubId,
    ended: undefined,
    next: () => sink.next(),
    close: () => remoteHubs.close(sink),
  };
}
