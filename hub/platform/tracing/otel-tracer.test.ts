import { expect, test } from 'bun:test';
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceContext } from '@svc/core/trace/traceparent';
import { OtelTracer } from './otel-tracer.ts';
import { PlannedIds } from './planned-ids.ts';

const PLACE: TraceContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true };

function traced() {
  const exporter = new InMemorySpanExporter();
  const idGenerator = new PlannedIds();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const provider = new TracerProvider({ idGenerator, spanProcessors, sampler: new AlwaysOnSampler() });
  return { tracer: new OtelTracer(provider.getTracer('test'), idGenerator), exporter };
}

test('a span has the ids that it was promised to, and the next one has its own', () => {
  const { tracer } = traced();
  const as = { traceId: '3'.repeat(32), spanId: '4'.repeat(16) };
  const first = tracer.start({ name: 'a', parent: undefined, as, facts: {} });
  const second = tracer.start({ name: 'b', parent: undefined, facts: {} });
  expect(first.context).toEqual({ ...as, isSampled: true });
  expect(second.context.traceId).not.toBe(as.traceId);
  expect(second.context.spanId).not.toBe(as.spanId);
});

test('times are kept to the microsecond, and no span ends before it began', () => {
  const { tracer, exporter } = traced();
  const startMs = 1_700_000_000_123.456;
  tracer.start({ name: 'a', parent: PLACE, startMs, facts: {} }).end({}, startMs + 0.5);
  tracer.start({ name: 'b', parent: PLACE, startMs, facts: {} }).end({}, startMs - 1_000);
  const [a, b] = exporter.getFinishedSpans();
  expect(a?.startTime[0]).toBe(1_700_000_000);
  expect(Math.round((a?.startTime[1] ?? 0) / 1_000)).toBe(123_456);
  expect(Math.round((a?.duration[1] ?? 0) / 1_000)).toBe(500);
  expect(b?.duration).toEqual([0, 0]);
});

test('a place holds for all that is awaited within it, and for nothing beside it', async () => {
  const { tracer } = traced();
  const other = { ...PLACE, spanId: '5'.repeat(16) };
  const seen = async () => {
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    return tracer.current();
  };
  const both = [
    tracer.within(PLACE, seen),
    tracer.within(other, seen),
    tracer.within(undefined, seen),
    seen(),
  ];
  expect(await Promise.all(both)).toEqual([PLACE, other, undefined, undefined]);
});

test('only attributes with a value are exported', () => {
  const { tracer, exporter } = traced();
  const facts = { 'svc.execution.id': 'x', 'svc.agent.name': undefined } as const;
  tracer.start({ name: 'a', parent: PLACE, facts }).end({ 'process.exit.code': 0, 'error.type': undefined });
  const [span] = exporter.getFinishedSpans();
  expect(Object.entries(span?.attributes ?? {}).filter(([, value]) => value !== undefined)).toEqual([
    ['svc.execution.id', 'x'],
    ['process.exit.code', 0],
  ]);
  expect(span?.status.code).toBe(0);
});
