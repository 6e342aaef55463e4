import { Backoff } from '@svc/core/backoff';
import { EventReader, type StreamResult } from './event-reader.ts';
import { LineLog } from './line-log.ts';

/** The effects of a stream, replaced in tests. */
export interface StreamPorts {
  /** Requests the events after this id; undefined: from the first event. */
  readonly open: (executionId: string, after: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Resolves after `ms`, or at once on abort. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Called before each slice of a large read, so that the page stays responsive. */
  readonly yieldToPage: () => Promise<void>;
}

export type StreamPhase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The connection failed; the next attempt starts after `retryMs`. */
  | { readonly kind: 'waiting'; readonly retryMs: number }
  | { readonly kind: 'ended' }
  /** The hub refused the stream for good. */
  | { readonly kind: 'refused'; readonly status: number };

const RETRY = { firstMs: 500, longestMs: 15_000 };
/** Decoding a slice takes a few milliseconds; a browser may deliver megabytes at once. */
const SLICE_BYTES = 64 * 1024;
/**
 * After such a pause the reader has all output that the hub had stored, so later lines are as old as their arrival. Earlier lines of
 * the connection may have been printed long before.
 */
const CAUGHT_UP_MS = 1_000;
/** The 4xx statuses worth a retry. */
const RETRIED_STATUSES = [408, 425, 429];

/**
 * The stream of one execution, resumed after broken connections without a lost or repeated line (decision 20, asynchronous
 * calls and records).
 */
export class ExecutionStream {
  readonly log = new LineLog();
  readonly #reader = new EventReader(this.log);
  readonly #id: string;
  readonly #ports: StreamPorts;
  readonly #listeners = new Set<() => void>();
  readonly #backoff: Backoff;
  #phase: StreamPhase = { kind: 'connecting' };
  #revision = 0;

  constructor(executionId: string, ports: StreamPorts) {
    this.#id = executionId;
    this.#ports = ports;
    this.#backoff = new Backoff(RETRY, (waitMs) => Math.round(waitMs * (0.5 + ports.random() / 2)));
  }

  get phase(): StreamPhase {
    return this.#phase;
  }

  get result(): StreamResult {
    return this.#reader.result;
  }

  /** Increases with every visible change. */
  get revision(): number {
    return this.#revision;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads until the execution ends, the hub refuses, or `signal` aborts. May be called again after an abort. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isOver()) {
      try {
        await this.#connect(signal);
      } catch {
        // A broken connection and a failed one are both retried.
      }
      if (!signal.aborted && !this.#isOver()) await this.#pause(signal);
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    this.#reader.beginConnection();
    this.#enter({ kind: 'connecting' });
    const response = await this.#ports.open(this.#id, this.#reader.lastId, signal);
    if (response.status === 204) return this.#enter({ kind: 'ended' });
    if (!response.ok) {
      await response.body?.cancel();
      const isFinal =
        response.status >= 400 && response.status < 500 && !RETRIED_STATUSES.includes(response.status);
      if (isFinal) this.#enter({ kind: 'refused', status: response.status });
      return;
    }
    this.#enter({ kind: 'live' });
    await this.#read(response, signal);
  }

  async #read(response: Response, signal: AbortSignal): Promise<void> {
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    const { nowMs } = this.#ports;
    let isLive = false;
    for (;;) {
      const askedMs = nowMs();
      const piece = await reader.read();
      if (piece.done) return;
      const gotMs = nowMs();
      isLive ||= gotMs - askedMs >= CAUGHT_UP_MS;
      for (let from = 0; from < piece.value.length; from += SLICE_BYTES) {
        await this.#ports.yieldToPage();
        // Another reader may have started in the meantime.
        if (signal.aborted) return;
        this.#onBytes(piece.value.subarray(from, from + SLICE_BYTES), isLive ? gotMs : undefined);
      }
    }
  }

  #onBytes(bytes: Uint8Array, arrivedMs: number | undefined): void {
    this.#reader.push(bytes, arrivedMs);
    this.#backoff.reset();
    if (this.result.end !== undefined) this.#phase = { kind: 'ended' };
    this.#changed();
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const retryMs = this.#backoff.nextMs();
    this.#enter({ kind: 'waiting', retryMs });
    await this.#ports.sleep(retryMs, signal);
  }

  #isOver(): boolean {
    return this.#phase.kind === 'ended' || this.#phase.kind === 'refused';
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
