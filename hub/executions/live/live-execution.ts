import type { AlertEvent } from '@svc/core/alert/event';
import { KeptOutput } from '@svc/core/execution/kept-output';
import { type Ended, endedBy } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import { LIMITS } from '@svc/core/plan/limits';
import type { WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { JournalMark } from '../../agents/agent-ports.ts';
import type { Clock } from '../../platform/world.ts';
import type { ExecutionLedger, Finish, OutputChunk, QuotaClaim } from '../execution-ports.ts';
import { isResultPiece, storedOutput } from '../stored-output.ts';
import { FanOut, type LiveReader } from './fan-out.ts';

/** Output waits so long for more of it, or for the end: then they share one commit. */
const GATHER_MS = 20;
/** A store that could not write is tried again after so long. */
const RETRY_MS = 1_000;
const MARKER_BYTES = 256;
/** The tail is not acknowledged while it is held, so it takes only half of the window that the agent sends in. */
const TAIL_BYTES = LINK_LIMITS.windowBytes / 2;
/** What falls out of the tail is acknowledged in portions: with the tail they fit into the window, so that nobody waits for one. */
const CUT_PORTION_BYTES = LINK_LIMITS.windowBytes / 8;
/** The tail may be longer by one frame. */
const KEPT = {
  headBytes: LIMITS.storedOutputBytes - TAIL_BYTES - LINK_LIMITS.outputFrameBytes - MARKER_BYTES,
  tailBytes: TAIL_BYTES,
};

export interface LiveExecutionOptions {
  readonly id: string;
  readonly timeoutSec: number;
  /** Whose it is while this hub has it. */
  readonly hubId: string;
  /** What is on record when this hub takes it up: 0 for a new one. */
  readonly storedSeq: number;
  readonly storedBytes: number;
  /** Returned when it turns out that it never started. */
  readonly quota: QuotaClaim | undefined;
  readonly ledger: Pick<ExecutionLedger, 'append' | 'finish' | 'find' | 'output'>;
  readonly clock: Clock;
  /** All up to this number is safe. */
  readonly onSafe: (seq: number) => void;
  /** What is told of its end, and stored with it. */
  readonly alertsOf: (finish: Finish) => Promise<readonly AlertEvent[]>;
  /** The final state is on record. */
  readonly onEnded: (ended: Ended) => void;
  /** It goes on, but another hub has it. */
  readonly onTaken: () => void;
  /** The store did not take something; it is tried again. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * An execution that this hub takes output of: to the readers at once, to the store in groups, and to the end once.
 *
 * Nothing here is the truth: when the process dies, the agent still has what was not acknowledged.
 */
export class LiveExecution {
  readonly #options: LiveExecutionOptions;
  readonly #fanOut: FanOut;
  readonly #kept: KeptOutput<OutputChunk>;
  readonly #ended = Promise.withResolvers<Ended>();
  #receivedSeq: number;
  #storedSeq: number;
  #toldCutBytes = 0;
  /** To be stored with the next commit. */
  #gathered: OutputChunk[] = [];
  /** The JSON of a transform's result, as far as it came here; an earlier hub may have stored its beginning. */
  readonly #pieces: OutputChunk[] = [];
  /** In a commit that is under way. */
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
    this.#fanOut = new FanOut(options.clock, () => this.#acknowledge());
  }

  get id(): string {
    return this.#options.id;
  }

  /** The agent is to send what comes after it. */
  get receivedSeq(): number {
    return this.#receivedSeq;
  }

  /** Settles when the final state is on record. */
  get ended(): Promise<Ended> {
    return this.#ended.promise;
  }

  get isFinishing(): boolean {
    return this.#isFinishing;
  }

  /** Follows from now on; `unstored` is what the store may not have yet, in order. */
  follow(): { readonly reader: LiveReader; readonly unstored: readonly OutputChunk[] } {
    return {
      reader: this.#fanOut.join(),
      unstored: [...this.#storing, ...this.#gathered, ...this.#rest()],
    };
  }

  unfollow(reader: LiveReader): void {
    this.#fanOut.leave(reader);
  }

  get hasReaders(): boolean {
    return this.#fanOut.hasReaders;
  }

  /** A piece that is known already is passed over; false for one that leaves a gap, which no sound agent sends. */
  receive(chunk: OutputChunk): boolean {
    if (chunk.seq <= this.#receivedSeq) return true;
    if (chunk.seq !== this.#receivedSeq + 1) {
      // Only what an earlier hub had given up may be missing.
      if (!this.#isResumed) return false;
      this.#kept.skipTo(chunk.seq);
    }
    this.#isResumed = false;
    this.#receivedSeq = chunk.seq;
    if (isResultPiece(chunk)) {
      this.#pieces.push(chunk);
      this.#gather(chunk);
      return true;
    }
    if (this.#kept.add(chunk)) {
      this.#fanOut.push(chunk);
      this.#gather(chunk);
    } else {
      this.#fanOut.lend(chunk);
      this.#acknowledgeCut();
    }
    return true;
  }

  /** Puts how it ended on record, with the rest of its output; the first ending counts. */
  async end(ending: WireEnding, atMs: number, journal?: JournalMark): Promise<void> {
    const hasData = ending.kind === 'exited' && ending.transformed?.kind === 'data';
    const ended = endedBy(ending, this.#options.timeoutSec, hasData ? await this.#result() : undefined);
    this.#finish({ ...ended, executionId: this.id, endedAtMs: atMs, journal });
  }

  /**
   * The same for an ending that the hub decides on, which counts only while the execution is this hub's. `refund` gives back
   * the unit of the quota that it took.
   */
  finish(ended: Ended, atMs: number, refund?: 'refund'): void {
    const { hubId, quota } = this.#options;
    this.#finish({ ...ended, executionId: this.id, endedAtMs: atMs, ifOfHub: hubId }, refund && quota);
  }

  /** Another hub has it: what was not acknowledged the agent sends to that one. */
  moved(): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#cancelGathering?.();
    this.#fanOut.moveAll();
    this.#options.onTaken();
  }

  #finish(finish: Finish, refund?: QuotaClaim): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#cancelGathering?.();
    void this.#storeEnd(finish, refund);
  }

  async #result(): Promise<string> {
    const before = (this.#pieces[0]?.seq ?? this.#receivedSeq + 1) - 1;
    const stored = before > 0 ? await this.#storedPieces() : [];
    return Buffer.concat([...stored, ...this.#pieces].map(({ sse }) => sse)).toString();
  }

  async #storedPieces(): Promise<OutputChunk[]> {
    const first = this.#pieces[0]?.seq ?? Number.POSITIVE_INFINITY;
    const stored: OutputChunk[] = [];
    for await (const chunk of storedOutput(this.#options.ledger, this.id, 0)) {
      if (isResultPiece(chunk) && chunk.seq < first) stored.push(chunk);
    }
    return stored;
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
    this.#storing = this.#gathered;
    this.#gathered = [];
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
    if (cutBytes - this.#toldCutBytes < CUT_PORTION_BYTES) return;
    this.#toldCutBytes = cutBytes;
    this.#acknowledge();
  }

  #acknowledge(): void {
    if (this.#fanOut.isBehind) return;
    this.#options.onSafe(Math.max(this.#storedSeq, this.#kept.cutSeq));
  }

  /** The tail, and before it the marker of what was cut. */
  #rest(): OutputChunk[] {
    return this.#kept.end().map((piece) => ({ endings: undefined, ...piece, executionId: this.id }));
  }

  async #storeEnd(finish: Finish, refund: QuotaClaim | undefined): Promise<void> {
    const { ledger, clock, alertsOf, onEnded, onTaken } = this.#options;
    // What an append has under way is sent again: a piece that is stored already is left as it is.
    const chunks = [...this.#storing, ...this.#gathered, ...this.#rest()].filter(
      (chunk) => !isResultPiece(chunk),
    );
    try {
      const alerts = await alertsOf(finish);
      const isStored = await ledger.finish({ ...finish, alerts }, chunks, refund);
      // When it had ended otherwise already, that is what everybody is told.
      const ended = isStored ? finish : ((await ledger.find(this.id)) ?? finish);
      if (!hasEnded(ended.state)) {
        this.#fanOut.moveAll();
        onTaken();
        return;
      }
      if (isStored) this.#fanOut.end();
      // It ended elsewhere, and perhaps with output that never came here: the record has all of it.
      else this.#fanOut.moveAll();
      this.#ended.resolve(ended as Ended);
      onEnded(ended as Ended);
    } catch (error) {
      this.#options.onTrouble(error);
      clock.at(clock.nowMs() + RETRY_MS, () => void this.#storeEnd(finish, refund));
    }
  }
}
