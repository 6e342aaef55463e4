import { Backoff } from '@svc/core/backoff';
import { EarlierReader, eventsToLoad } from './earlier-lines.ts';
import { EventReader, type StreamResult } from './event-reader.ts';
import type { LineLog } from './line-log.ts';
import type { StreamPhase, StreamPorts } from './stream-ports.ts';

/** The events at the end of the output that are read first. */
const FIRST_EVENTS = 2_000;
const RETRY = { firstMs: 500, longestMs: 15_000 };
/** Decoding a slice takes a few milliseconds; a browser may deliver megabytes at once. */
const SLICE_BYTES = 64 * 1024;
/**
 * After such a pause the reader has all output that the hub had stored, so later lines are as old as their arrival. Earlier lines of
 * the connection may have been printed long before.
 */
const CAUGHT_UP_MS = 1_000;
/** The 4xx statuses that say nothing about the execution. */
const PASSING_STATUSES = [408, 425, 429];
/** A proxy answers 404, or another status of its own, for a hub that restarts. */
const MAX_REFUSALS = 3;

/**
 * The stream of one execution, resumed after broken connections without a lost or repeated line (decision 20, asynchronous
 * calls and records).
 */
export class ExecutionStream {
  #reader = new EventReader();
  /** Reads anew behind a cut, and takes the place of the reader with its first event. */
  #anew: EventReader | undefined;
  readonly #id: string;
  readonly #ports: StreamPorts;
  readonly #listeners = new Set<() => void>();
  readonly #backoff: Backoff;
  #phase: StreamPhase = { kind: 'connecting' };
  #refusals = 0;
  #revision = 0;
  /** False for a hub of an earlier version: it refuses to begin at the end. */
  #beginsAtEnd = true;
  #loading: Promise<void> | undefined;
  #hasFailedToLoad = false;
  /** The index of the first line to load. */
  #wanted = Number.POSITIVE_INFINITY;
  #signal = new AbortController().signal;

  constructor(executionId: string, ports: StreamPorts) {
    this.#id = executionId;
    this.#ports = ports;
    this.#backoff = new Backoff(RETRY, (waitMs) => Math.round(waitMs * (0.5 + ports.random() / 2)));
  }

  get phase(): StreamPhase {
    return this.#phase;
  }

  /** Another one when the output is read anew. */
  get log(): LineLog {
    return this.#reader.log;
  }

  get result(): StreamResult {
    return this.#reader.result;
  }

  /** What happens to the lines before those in the log. */
  get earlier(): 'loading' | 'failed' | undefined {
    if (this.log.isWhole) return undefined;
    if (this.#hasFailedToLoad) return 'failed';
    return this.#loading === undefined ? undefined : 'loading';
  }

  /** Increases with every visible change. */
  get revision(): number {
    return this.#revision;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reads until the execution ends or `signal` aborts. May be called again after an abort. A stream that the hub refuses is tried
   * again when the dashboard has connected anew, and when the execution is shown again.
   */
  async follow(signal: AbortSignal): Promise<void> {
    this.#refusals = 0;
    this.#signal = signal;
    this.#loading = undefined;
    this.#wanted = Number.POSITIVE_INFINITY;
    while (!signal.aborted && !this.#hasEnded()) {
      try {
        await this.#connect(signal);
      } catch {
        // A broken connection and a failed one are both retried.
      }
      if (!signal.aborted && !this.#hasEnded()) await this.#pause(signal);
    }
  }

  /** Loads all lines from this index on that are not in the log. Settles when they are, or when that has failed. */
  loadFrom(line: number): Promise<void> {
    if (this.log.isWhole || line >= this.log.first) return Promise.resolve();
    this.#wanted = Math.min(this.#wanted, line);
    if (this.#loading === undefined) {
      this.#hasFailedToLoad = false;
      this.#loading = this.#loadWanted(this.#signal);
      this.#changed();
    }
    return this.#loading;
  }

  /** @param signal that of the reader; a later reader has its own load */
  async #loadWanted(signal: AbortSignal): Promise<void> {
    let hasFailed = false;
    try {
      await this.#untilBegun(signal);
      while (!signal.aborted && !this.log.isWhole && this.#wanted < this.log.first)
        await this.#loadEarlier(this.#reader, signal);
    } catch {
      hasFailed = true;
    }
    // A reader that has left needs no lines.
    if (signal === this.#signal) {
      this.#hasFailedToLoad = hasFailed && !signal.aborted;
      this.#wanted = Number.POSITIVE_INFINITY;
      this.#loading = undefined;
    }
    this.#changed();
  }

  /** Waits for the first event: earlier ones are asked for by its id, and the hub sends their count before it. */
  async #untilBegun(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (signal.aborted || this.#reader.firstId !== undefined) resolve();
    };
    const unsubscribe = this.subscribe(check);
    signal.addEventListener('abort', check, { once: true });
    check();
    await promise;
    signal.removeEventListener('abort', check);
    unsubscribe();
  }

  async #loadEarlier(reader: EventReader, signal: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    const last = eventsToLoad(reader.log, this.#wanted);
    const requested = this.#ports.open(this.#id, { before: reader.firstId, last }, either);
    const { ok, status, body } = await this.#heard('head', silence, requested);
    if (!ok || body === null) throw new Error(`the hub answered ${status}`);
    const earlier = new EarlierReader();
    const bytes = body.getReader();
    for (;;) {
      const { done, value } = await this.#heard('body', silence, bytes.read());
      if (done) break;
      for (let from = 0; from < value.length; from += SLICE_BYTES) {
        await this.#ports.yieldToPage();
        earlier.push(value.subarray(from, from + SLICE_BYTES));
      }
    }
    const { pieces } = earlier;
    // Each piece is added together with its id, so a reader that takes over in between goes on from there.
    for (const piece of pieces.toReversed()) {
      await this.#ports.yieldToPage();
      signal.throwIfAborted();
      reader.addEarlier(piece);
      reader.log.prepend(piece.lines, last === undefined && piece === pieces[0]);
      this.#changed();
    }
    if (pieces.length === 0) reader.log.prepend([], true);
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    const reader = this.#anew ?? this.#reader;
    reader.beginConnection();
    this.#enter({ kind: 'connecting' });
    const { lastId: after } = reader;
    const isFirst = after === undefined && this.#beginsAtEnd;
    const requested = this.#ports.open(this.#id, isFirst ? { last: FIRST_EVENTS } : { after }, either);
    const response = await this.#heard('head', silence, requested);
    if (response.status === 204) return this.#enter({ kind: 'ended' });
    if (response.status === 400 && isFirst) {
      await response.body?.cancel();
      this.#beginsAtEnd = false;
      return await this.#connect(signal);
    }
    if (!response.ok) return await this.#onRefusal(response);
    this.#refusals = 0;
    this.#enter({ kind: 'live' });
    await this.#read(reader, response, signal, silence);
    if (!reader.isBehindCut || signal.aborted) return;
    silence.abort();
    this.#anew = new EventReader();
    await this.#connect(signal);
  }

  async #onRefusal({ status, body }: Response): Promise<void> {
    await body?.cancel();
    if (status < 400 || status >= 500 || PASSING_STATUSES.includes(status)) return;
    this.#refusals += 1;
    if (this.#refusals >= MAX_REFUSALS) this.#enter({ kind: 'refused', status });
  }

  /** Breaks the connection when nothing comes for too long: the other end may be gone without a word. */
  async #heard<Value>(
    step: 'head' | 'body',
    silence: AbortController,
    pending: Promise<Value>,
  ): Promise<Value> {
    const callOff = this.#ports.watchSilence(step, () => silence.abort());
    try {
      return await pending;
    } finally {
      callOff();
    }
  }

  async #read(
    reader: EventReader,
    response: Response,
    signal: AbortSignal,
    silence: AbortController,
  ): Promise<void> {
    const body = response.body?.getReader();
    if (body === undefined) return;
    const { nowMs } = this.#ports;
    let isLive = false;
    for (;;) {
      const askedMs = nowMs();
      const piece = await this.#heard('body', silence, body.read());
      if (piece.done) return;
      const gotMs = nowMs();
      isLive ||= gotMs - askedMs >= CAUGHT_UP_MS;
      for (let from = 0; from < piece.value.length; from += SLICE_BYTES) {
        await this.#ports.yieldToPage();
        // Another reader may have started in the meantime.
        if (signal.aborted) return;
        this.#onBytes(reader, piece.value.subarray(from, from + SLICE_BYTES), isLive ? gotMs : undefined);
        if (reader.isBehindCut) return;
      }
    }
  }

  #onBytes(reader: EventReader, bytes: Uint8Array, arrivedMs: number | undefined): void {
    reader.push(bytes, arrivedMs);
    this.#backoff.reset();
    if (reader === this.#anew && reader.lastId !== undefined) {
      this.#reader = reader;
      this.#anew = undefined;
    }
    if (this.result.end !== undefined) this.#phase = { kind: 'ended' };
    this.#changed();
  }

  async #pause(signal: AbortSignal): Promise<void> {
    if (this.#phase.kind === 'refused') {
      await this.#ports.pause(undefined, signal);
      this.#refusals = 0;
      return;
    }
    const retryMs = this.#backoff.nextMs();
    this.#enter({ kind: 'waiting', retryMs });
    await this.#ports.pause(retryMs, signal);
  }

  #hasEnded(): boolean {
    return this.#phase.kind === 'ended';
  }

  #enter(phase: StreamPhase): void {
    this.#phase = phase;
    this.#changed();
  }

  #changed(): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener();
  }
}
