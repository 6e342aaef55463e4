import { EventReader, type StreamResult } from './event-reader.ts';
import { LineLog } from './line-log.ts';

/** What a stream needs of the world. */
export interface StreamPorts {
  /** Asks for the events after the one with this id, from the first without it. */
  readonly open: (executionId: string, after: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Resolves after so long, or at once when it is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Called again and again while much is read at once: lets others have their turn when it is time. */
  readonly breathe: () => Promise<void>;
}

export type StreamPhase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The connection broke, or could not be made; it is tried again after so long. */
  | { readonly kind: 'waiting'; readonly retryMs: number }
  | { readonly kind: 'ended' }
  /** It makes no sense to ask again. */
  | { readonly kind: 'refused'; readonly status: number };

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;
/** So much is decoded within a few milliseconds; a browser may hand over megabytes at once. */
const SLICE_BYTES = 64 * 1024;
/** The service may be back with the next try; any other status of 4xx will not change by itself. */
const PASSING = [408, 425, 429];

/** The stream of one execution, followed through broken connections without losing or doubling a line (decision 20). */
export class ExecutionStream {
  readonly log = new LineLog();
  readonly #reader = new EventReader(this.log);
  readonly #id: string;
  readonly #ports: StreamPorts;
  readonly #listeners = new Set<() => void>();
  #phase: StreamPhase = { kind: 'connecting' };
  #retryMs = FIRST_RETRY_MS;
  #revision = 0;

  constructor(executionId: string, ports: StreamPorts) {
    this.#id = executionId;
    this.#ports = ports;
  }

  get phase(): StreamPhase {
    return this.#phase;
  }

  get result(): StreamResult {
    return this.#reader.result;
  }

  /** Raised by everything that can be seen. */
  get revision(): number {
    return this.#revision;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads until the end of the execution, until the stream is refused, or until it is aborted; may be called again then. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isOver()) {
      try {
        await this.#connect(signal);
      } catch {
        // A connection that breaks and one that cannot be made are the same: it is tried again.
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
      const isFinal = response.status >= 400 && response.status < 500 && !PASSING.includes(response.status);
      if (isFinal) this.#enter({ kind: 'refused', status: response.status });
      return;
    }
    this.#enter({ kind: 'live' });
    await this.#read(response, signal);
  }

  async #read(response: Response, signal: AbortSignal): Promise<void> {
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (let from = 0; from < piece.value.length; from += SLICE_BYTES) {
        await this.#ports.breathe();
        // Another reader may have begun where this one was left.
        if (signal.aborted) return;
        this.#take(piece.value.subarray(from, from + SLICE_BYTES));
      }
    }
  }

  #take(bytes: Uint8Array): void {
    this.#reader.push(bytes);
    this.#retryMs = FIRST_RETRY_MS;
    if (this.result.end !== undefined) this.#phase = { kind: 'ended' };
    this.#changed();
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const retryMs = Math.round(this.#retryMs * (0.5 + this.#ports.random() / 2));
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
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
