import { createNoopMeter, type Meter } from '@opentelemetry/api';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';

export interface SpanBatchesOptions {
  readonly exporter: Pick<SpanExporter, 'export' | 'shutdown'>;
  /** Why the collector refused spans; undefined: it accepts them again. */
  readonly onState: (error: Error | undefined) => void;
  /** Spans wait for this long to be sent with others. */
  readonly delayMs: number;
  readonly maxWaiting?: number;
}

/** About 1 KB per span bounds the memory while the collector is unavailable. */
const MAX_WAITING = 8_192;

/** The batches of OpenTelemetry. Spans without room and spans that the collector refuses are counted and dropped. */
export class SpanBatches extends BatchSpanProcessor {
  readonly figures: { readonly exported: number; readonly dropped: number };

  constructor({ exporter, onState, delayMs, maxWaiting = MAX_WAITING }: SpanBatchesOptions) {
    const figures = { exported: 0, dropped: 0 };
    let isFailing = false;
    const onExport = (count: number, error: Error | undefined) => {
      figures[error === undefined ? 'exported' : 'dropped'] += count;
      // Reports a change of the state, and not every batch.
      if (isFailing !== (error !== undefined)) onState(error);
      isFailing = error !== undefined;
    };
    super({
      exporter: reporting(exporter, onExport),
      scheduledDelayMillis: delayMs,
      maxQueueSize: maxWaiting,
      selfObsMeterProvider: { getMeter: () => dropMeter((count) => (figures.dropped += count)) },
    });
    this.figures = figures;
  }
}

/** An exporter that reports each batch. The processor gets every batch reported as sent, because a failed batch must not make a flush fail. */
function reporting(
  exporter: SpanBatchesOptions['exporter'],
  onExport: (count: number, error: Error | undefined) => void,
): SpanExporter {
  return {
    export(spans, done) {
      const report = (error: Error | undefined) => {
        onExport(spans.length, error);
        done({ code: SUCCESS });
      };
      try {
        exporter.export(spans, ({ code, error }) =>
          report(code === SUCCESS ? undefined : (error ?? new Error('the collector did not take the spans'))),
        );
      } catch (error) {
        report(error instanceof Error ? error : new Error('spans could not be sent', { cause: error }));
      }
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** A meter for the processor, which reports dropped spans in no other way. */
function dropMeter(onDrop: (count: number) => void): Meter {
  const add = (count: number, attributes: object = {}) => {
    if ('error.type' in attributes) onDrop(count);
  };
  return Object.assign(Object.create(createNoopMeter()) as Meter, { createCounter: () => ({ add }) });
}

/** The success value of `ExportResultCode`, whose package is not a dependency. */
const SUCCESS = 0;
