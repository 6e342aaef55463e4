import type { AlertEvent } from '@svc/core/alert/event';
import { KeptOutput } from '@svc/core/execution/kept-output';
import { type Ended, endedBy } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import { LIMITS } from '@svc/core/plan/limits';
import type { WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Clock } from '../../platform/world.ts';
import type { ExecutionLedger, Finish, OutputChunk, QuotaClaim } from '../execution-ports.ts';
import { isResultPiece } from '../stored-output.ts';
import { FanOut, type LiveReader } from './fan-out.ts';
import { TransformResult } from './transform-result.ts';

/** Output waits this long for more output or for the end, so that they share one commit. */
const GATHER_MS = 20;
/** The pause before a failed write is repeated. */
const RETRY_MS = 1_000;
/**
 * The limit of one write, so that it does not delay the writes of others. A correct agent has no more on its way; more gathers only while
 * writes fail.
 */
const WRITE_BYTES = LINK_LIMITS.windowBytes;
const MARKER_BYTES = 256;
/** The tail stays unacknowledged, so it takes only half of the agent's window. */
const TAIL_BYTES = LINK_LIMITS.windowBytes / 2;
/** Output that leaves the tail is acknowledged in portions. Tail and portion fit into the window, so the agent never waits. */
const CUT_PORTION_BYTES = LINK_LIMITS.windowBytes / 8;
/** The tail may exceed its size by one frame. */
const KEPT = {
  headBytes: LIMITS.storedOutputBytes - TAIL_BYTES - LINK_LIMITS.outputFrameBytes - MARKER_BYTES,
  tailBytes: TAIL_BYTES,
};

export interface LiveExecutionOptions {
  readonly id: string;
  readonly timeoutSec: number;
  /** This hub. */
  readonly hubId: string;
  /** The number of the last stored chunk when this hub takes the execution over; 0 for a new one. */
  readonly storedSeq: number;
  readonly storedBytes: number;
  /** Returned when the execution never started. */
  readonly quota: QuotaClaim | undefined;
  readonly ledger: Pick<ExecutionLedger, 'append' | 'finish' | 'find' | 'output'>;
  readonly clock: Clock;
  /** Called with each new piece of output, before readers and the store get it. */
  readonly onOutput: (chunk: OutputChunk) => void;
  /** Everything up to this number is stored. */
  readonly onSafe: (seq: number) => void;
  /** The alerts of the end, which are stored with it. */
  readonly alertsOf: (finish: Finish) => Promise<readonly AlertEvent[]>;
  /** Called when the final state is stored. */
  readonly onEnded: (ended: Ended) => void;
  /** Called when another hub has taken the execution over. */
  readonly onTaken: () => void;
  /** Called when a write failed; the write is repeated. */
  readonly onTrouble: (error: unknown) => void;
}

/** A correct agent never sends a chunk that leaves a `gap`, or a result that is `too_long`. */
export type ReceivedChunk = 'taken' | 'gap' | 'too_long';

/** Makes the end that is stored. It may read the store, so it may fail, and is called again. */
type MakeFinish = () => Finish | Promise<Finish>;

/**
 * An execution whose output this hub receives. Readers get output at once; the store gets it in groups; the end is stored once.
 *
 * Nothing in memory is the truth: when the process dies, the agent still has everything that was not acknowledged.
 */
export class LiveExecution {
  readonly #options: LiveExecutionOptions;
  readonly #fanOut: FanOut;
  readonly #kept: KeptOutput<OutputChunk>;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #settled = Promise.withResolvers<void>();
  #receivedSeq: number;
  #storedSeq: number;
  #acknowledgedCutBytes = 0;
  /** Stored with the next commit. */
  #gathered: OutputChunk[] = [];
  readonly #result: TransformResult;
  /** In the current commit. */
  #storing: readonly OutputChunk[] = [];
  #isResumed: boolean;
  #isFinishing = false;
  #cancelGathering: (() => void) | undefined;

  constructor(options: LiveExecutionOptions) {
    this.#options = options;
    this.#receivedSeq = options.storedSeq;
    this.#storedSeq = options.storedSeq;
    this.#isResumed = options.storedSeq > 0;
    this.#kept = new KeptOutput(KEPT, options.storedBytes);
    // What is stored beyond the head can only be a result.
    this.#result = new TransformResult(Math.max(0, options.storedBytes - KEPT.headBytes));
    this.#fanOut = new FanOut(options.clock, () => this.#acknowledge());
  }

  get id(): string {
    return this.#options.id;
  }

  /** The last received number; the agent continues after it. */
  get receivedSeq(): number {
    return this.#receivedSeq;
  }

  /** Resolves when the final state is stored. Never resolves when another hub has taken the execution over. */
  get ended(): Promise<Ended> {
    return this.#ended.promise;
  }

  /** Resolves when this hub has nothing more to do: the final state is stored, or another hub has the execution. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get isFinishing(): boolean {
    return this.#isFinishing;
  }

  /** Adds a reader. `unstored` is the output that the store may not have yet, in order; a transform's result is none. */
  follow(): { readonly reader: LiveReader; readonly unstored: readonly OutputChunk[] } {
    return {
      reader: this.#fanOut.join(),
      unstored: this.#unstored(),
    };
  }

  unfollow(reader: LiveReader): void {
    this.#fanOut.leave(reader);
  }

  get hasReaders(): boolean {
    return this.#fanOut.hasReaders;
  }

  /** Receives a chunk and ignores a repeated one. */
  receive(chunk: OutputChunk): ReceivedChunk {
    if (chunk.seq <= this.#receivedSeq) return 'taken';
    const isNext = chunk.seq === this.#receivedSeq + 1;
    // Only output that an earlier hub had cut may be missing.
    if (!isNext && !this.#isResumed) return 'gap';
    if (isResultPiece(chunk) && !this.#result.add(chunk)) return 'too_long';
    if (!isNext) this.#kept.skipTo(chunk.seq);
    this.#isResumed = false;
    this.#receivedSeq = chunk.seq;
    this.#options.onOutput(chunk);
    if (isResultPiece(chunk)) {
      this.#gather(chunk);
      return 'taken';
    }
    if (this.#kept.add(chunk)) {
      this.#fanOut.push(chunk);
      this.#gather(chunk);
    } else {
      this.#fanOut.lend(chunk);
      this.#acknowledgeCut();
    }
    return 'taken';
  }

  /** Stores the end with the remaining output. The first end counts. */
  end(
    ending: WireEnding,
    atMs: number,
    beside: Pick<Finish, 'journal' | 'files' | 'artifactsUnsent' | 'lineTimes'> = {},
  ): void {
    const hasData = ending.kind === 'exited' && ending.transformed?.kind === 'data';
    this.#finish(async () => {
      const { ledger, timeoutSec } = this.#options;
      const data = hasData ? await this.#result.json(ledger, this.id, this.#receivedSeq) : undefined;
      const ended = endedBy(ending, timeoutSec, data);
      return { ...ended, executionId: this.id, endedAtMs: atMs, ...beside };
    });
  }

  /** Stores an end that the hub decides, which counts only while the execution belongs to this hub. `refund` returns its quota. */
  finish(ended: Ended, atMs: number, refund?: 'refund'): void {
    const { hubId, quota } = this.#options;
    const finish = { ...ended, executionId: this.id, endedAtMs: atMs, ifOfHub: hubId };
    this.#finish(() => finish, refund && quota);
  }

  /** Another hub has the execution: the agent sends everything unacknowledged to that hub. */
  moved(): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#cancelGathering?.();
    this.#leave();
  }

  #leave(): void {
    this.#fanOut.moveAll();
    this.#settled.resolve();
    this.#options.onTaken();
  }

  #finish(makeFinish: MakeFinish, refund?: QuotaClaim): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#cancelGathering?.();
    void this.#storeEnd(makeFinish, refund);
  }

  #gather(chunk: OutputChunk): void {
    this.#gathered.push(chunk);
    if (this.#storing.length > 0 || this.#cancelGathering !== undefined) return;
    this.#later(GATHER_MS);
  }

  #later(ms: number): void {
    const { clock } = this.#options;
    this.#cancelGathering = clock.at(clock.nowMs() + ms, () => {
      this.#cancelGathering = undefined;
      void this.#store();
    });
  }

  async #store(): Promise<void> {
    if (this.#isFinishing || this.#gathered.length === 0) return;
    const count = countUpTo(WRITE_BYTES, this.#gathered);
    this.#storing = this.#gathered.slice(0, count);
    this.#gathered = this.#gathered.slice(count);
    try {
      await this.#options.ledger.append(this.#storing);
      this.#storedSeq = this.#storing.at(-1)?.seq ?? this.#storedSeq;
      this.#storing = [];
      this.#acknowledge();
      if (this.#gathered.length > 0) void this.#store();
    } catch (error) {
      this.#options.onTrouble(error);
      this.#gathered = [...this.#storing, ...this.#gathered];
      this.#storing = [];
      if (!this.#isFinishing) this.#later(RETRY_MS);
    }
  }

  #acknowledgeCut(): void {
    const { cutBytes } = this.#kept;
    if (cutBytes - this.#acknowledgedCutBytes < CUT_PORTION_BYTES) return;
    this.#acknowledgedCutBytes = cutBytes;
    this.#acknowledge();
  }

  #acknowledge(): void {
    if (this.#fanOut.isBehind) return;
    this.#options.onSafe(Math.max(this.#storedSeq, this.#kept.cutSeq));
  }

  /** The output that the store may not have yet, in order. The store ignores a chunk that it already has. */
  #unstored(): OutputChunk[] {
    return [...this.#storing, ...this.#gathered, ...this.#markerAndTail()].filter(
      (chunk) => !isResultPiece(chunk),
    );
  }

  /** The marker for output that was cut, then the tail. */
  #markerAndTail(): OutputChunk[] {
    return this.#kept.end().map((piece) => ({ endings: undefined, ...piece, executionId: this.id }));
  }

  /** Never rejects: whatever fails is repeated. */
  async #storeEnd(makeFinish: MakeFinish, refund: QuotaClaim | undefined): Promise<void> {
    const { ledger, clock, alertsOf, onEnded } = this.#options;
    const chunks = this.#unstored();
    try {
      const finish = await makeFinish();
      const alerts = await alertsOf(finish);
      const isStored = await ledger.finish({ ...finish, alerts }, chunks, refund);
      // When the execution already had another end, readers get that one.
      const ended = isStored ? finish : ((await ledger.find(this.id)) ?? finish);
      if (!hasEnded(ended.state)) return this.#leave();
      if (isStored) this.#fanOut.end();
      // It ended at another hub, perhaps with output that this hub never received: the record has all of it.
      else this.#fanOut.moveAll();
      this.#ended.resolve(ended as Ended);
      this.#settled.resolve();
      onEnded(ended as Ended);
    } catch (error) {
      this.#options.onTrouble(error);
      clock.at(clock.nowMs() + RETRY_MS, () => void this.#storeEnd(makeFinish, refund));
    }
  }
}

/** How many of the chunks, from the first on, have at most this many bytes together; at least one. */
function countUpTo(mostBytes: number, chunks: readonly OutputChunk[]): number {
  let bytes = 0;
  let count = 0;
  for (const { sse } of chunks) {
    bytes += sse.length;
    if (count > 0 && bytes > mostBytes) break;
    count += 1;
  }
  return count;
}
