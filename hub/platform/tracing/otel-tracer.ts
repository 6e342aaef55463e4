import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Tracer as OtelSdkTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { TraceContext } from '@svc/core/trace/traceparent';
import type { PlannedIds } from './planned-ids.ts';
import type { NewSpan, Span, SpanFacts, Tracer } from './tracer.ts';

/** Spans of OpenTelemetry behind the `Tracer` interface. The context of a request applies to everything that it awaits. */
export class OtelTracer implements Tracer {
  readonly #tracer: OtelSdkTracer;
  readonly #ids: PlannedIds;
  readonly #places = new AsyncLocalStorage<TraceContext | undefined>();

  constructor(tracer: OtelSdkTracer, ids: PlannedIds) {
    this.#tracer = tracer;
    this.#ids = ids;
  }

  nowMs(): number {
    return performance.timeOrigin + performance.now();
  }

  newSpanId(): string {
    return this.#ids.generateSpanId();
  }

  current(): TraceContext | undefined {
    return this.#places.getStore();
  }

  within<Result>(place: TraceContext | undefined, work: () => Result): Result {
    return this.#places.run(place, work);
  }

  start({ name, isServer, parent, as, startMs = this.nowMs(), facts }: NewSpan): Span {
    const options = {
      kind: isServer ? SpanKind.SERVER : SpanKind.INTERNAL,
      startTime: hrTime(startMs),
      attributes: { ...facts },
    };
    const span = this.#ids.during(as, () => this.#tracer.startSpan(name, options, contextOf(parent)));
    const { traceId, spanId, traceFlags } = span.spanContext();
    const isSampled = (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
    return {
      context: { traceId, spanId, isSampled },
      end: (more: SpanFacts = {}, endMs = this.nowMs()) => {
        span.setAttributes({ ...more });
        if (more['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(hrTime(Math.max(startMs, endMs)));
      },
    };
  }
}

function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags });
}

/** As seconds and nanoseconds: OpenTelemetry would guess the clock of a single number by its size. */
function hrTime(epochMs: number): [seconds: number, nanos: number] {
  const seconds = Math.floor(epochMs / 1000);
  return [seconds, Math.min(999_999_999, Math.round((epochMs - seconds * 1000) * 1_000_000))];
}
