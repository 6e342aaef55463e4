import { expect, test } from 'bun:test';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { BusFrame } from '@svc/core/bus/frame';
import { type TraceContext, traceparentOf } from '@svc/core/trace/traceparent';
import { systemClock } from '../platform/system-clock.ts';
import { OtelTracer } from '../platform/tracing/otel-tracer.ts';
import { PlannedIds } from '../platform/tracing/planned-ids.ts';
import { Spans } from './spans.ts';

const CONTEXT: TraceContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true };
const CALL = { type: 'call', executionId: 'e1' } as BusFrame;
const TAKE = { type: 'take', executionId: 'e1' } as BusFrame;

function spansOfHub(): Spans {
  const idGenerator = new PlannedIds();
  const provider = new TracerProvider({ idGenerator, sampler: new AlwaysOnSampler() });
  return new Spans(new OtelTracer(provider.getTracer('test'), idGenerator), systemClock);
}

const traceparentIn = (frame: BusFrame | undefined) =>
  (frame as { readonly traceparent?: string } | undefined)?.traceparent;

test('a forwarded call carries the trace of its request to the other hub, which continues it', () => {
  const [one, other] = [spansOfHub(), spansOfHub()];
  const sent = one.tracer.within(CONTEXT, () => one.questions.asking?.(CALL)) as BusFrame;
  expect(traceparentIn(sent)).toBe(traceparentOf(CONTEXT));
  other.questions.asked?.(sent);
  expect(traceparentIn(other.questions.asking?.(TAKE))).toBe(traceparentOf(CONTEXT));
});

test('other questions carry no trace', () => {
  const { tracer, questions } = spansOfHub();
  const review = { type: 'review', executionId: 'e1' } as unknown as BusFrame;
  const sent = tracer.within(CONTEXT, () => questions.asking?.(review));
  expect(traceparentIn(sent)).toBeUndefined();
});
