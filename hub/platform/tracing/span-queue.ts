import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

export interface SpanQueueOptions {
  readonly exporter: Pick<SpanExporter, 'export' | 'shutdown'>;
  /** Why the collector has not taken something; undefined: it takes again. */
  readonly onState: (error: Error | undefined) => void;
  /** Spans wait so long for others. */
  readonly delayMs: number;
  readonly maxWaiting?: number;
}

/** About 1 KB each: a collector that is away costs so much memory and no more. */
const MOST_WAITING = 8_192;
const BATCH = 512;

/**
 * Takes spans to the collector, one batch at a time, and nobody waits for that. What does not find room, and what the collector
 * does not take, is counted and forgotten.
 */
export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #maxWaiting: number;
  #waiting: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isInTrouble = false;
  #exported = 0;
  #dropped = 0;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? MOST_WAITING;
  }

  get exported(): number {
    return this.#exported;
  }

  get dropped(): number {
    return this.#dropped;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.#waiting.length >= this.#maxWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) this.#sendSoon(0);
    else this.#sendSoon(this.#options.delayMs);
  }

  /** Settles when all that waited has been taken or given up. */
  async forceFlush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== undefined) await (this.#sending ?? this.#send());
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    await this.#options.exporter.shutdown();
  }

  #sendSoon(ms: number): void {
    if (this.#sending !== undefined) return;
    if (this.#timer !== undefined) {
      if (ms > 0) return;
      clearTimeout(this.#timer);
    }
    this.#timer = setTimeout(() => void this.#send(), ms);
    this.#timer.unref();
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#sendSoon(this.#waiting.length >= BATCH ? 0 : this.#options.delayMs);
    });
    return this.#sending;
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, BATCH);
    if (batch.length === 0) return;
    const error = await exported(this.#options.exporter, batch);
    if (error === undefined) this.#exported += batch.length;
    else this.#dropped += batch.length;
    const isInTrouble = error !== undefined;
    // The same words once, not with every batch.
    if (isInTrouble !== this.#isInTrouble) this.#options.onState(error);
    this.#isInTrouble = isInTrouble;
  }
}

/** What an exporter tells by its callback, or throws; undefined: the collector has the batch. */
function exported(exporter: SpanQueueOptions['exporter'], batch: ReadableSpan[]): Promise<Error | undefined> {
  return new Promise((resolve) => {
    try {
      exporter.export(batch, ({ code, error }) =>
        resolve(code === SUCCESS ? undefined : (error ?? new Error('the collector did not take the spans'))),
      );
    } catch (error) {
      resolve(error instanceof Error ? error : new Error('spans could not be sent', { cause: error }));
    }
  });
}

/** Of `ExportResultCode`, whose package is none of ours. */
const SUCCESS = 0;
