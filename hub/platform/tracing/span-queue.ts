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

/** About 1 KB per span bounds the memory while the collector is unavailable. */
const MOST_WAITING = 8_192;
const BATCH = 512;

/**
 * Sends spans to the collector, one batch at a time, in the background. Spans without room and spans that the collector refuses are
 * counted and dropped.
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

  /** Resolves when all waiting spans were sent or dropped. */
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

/** The result of an export, from the callback or a thrown error; undefined: the collector has the batch. */
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

/** The success value of `ExportResultCode`, whose package is not a dependency. */
const SUCCESS = 0;
