import { describe, expect, test } from 'bun:test';
import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SpanBatches, type SpanBatchesOptions } from './span-batches.ts';

type Export = SpanBatchesOptions['exporter']['export'];

const OK = { code: 0 };
const FAILED = { code: 1, error: new Error('no') };

const span = (traceFlags: TraceFlags = TraceFlags.SAMPLED) =>
  ({ spanContext: () => ({ traceFlags }), resource: {} }) as unknown as ReadableSpan;

/** Batches to a collector that answers when the test lets it. */
function batchesTo(onExport: Export, more: Partial<SpanBatchesOptions> = {}) {
  const states: (string | undefined)[] = [];
  const exporter = { export: onExport, shutdown: () => Promise.resolve() };
  const onState = (error: Error | undefined) => void states.push(error?.message);
  const batches = new SpanBatches({ exporter, onState, delayMs: 1, ...more });
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) batches.onEnd(span());
  };
  return { batches, states, add };
}

describe('spans on their way to the collector', () => {
  test('go in batches, and none is lost or doubled', async () => {
    const sizes: number[] = [];
    const { batches, add } = batchesTo((batch, done) => {
      sizes.push(batch.length);
      setImmediate(done, OK);
    });
    add(1_300);
    await batches.forceFlush();
    expect(sizes).toEqual([512, 512, 276]);
    expect(batches.figures).toEqual({ exported: 1_300, dropped: 0 });
  });

  test('go by themselves, when others have had time to come', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const { add } = batchesTo((batch, done) => {
      done(OK);
      resolve(batch.length);
    });
    add(3);
    expect(await promise).toBe(3);
  });

  test('that exceed the queue of a hanging collector are dropped and counted, and take no memory', async () => {
    const held: (() => void)[] = [];
    let hangs = true;
    const { batches, add } = batchesTo(
      (_batch, done) => {
        if (hangs) held.push(() => done(OK));
        else done(OK);
      },
      { maxWaiting: 1_000 },
    );
    add(512);
    add(1_000);
    expect(batches.figures.dropped).toBe(0);
    add(5_000);
    expect(batches.figures.dropped).toBe(5_000);
    hangs = false;
    for (const answer of held) answer();
    await batches.forceFlush();
    expect(batches.figures).toEqual({ exported: 1_512, dropped: 5_000 });
  });

  test('that the collector refuses are dropped; the log has its failure once, and its recovery once', async () => {
    let answer: typeof OK = FAILED;
    const { batches, states, add } = batchesTo((_batch, done) => done(answer));
    for (let n = 0; n < 3; n += 1) {
      add(1);
      await batches.forceFlush();
    }
    expect(batches.figures).toEqual({ exported: 0, dropped: 3 });
    answer = OK;
    add(1);
    await batches.forceFlush();
    expect(batches.figures).toEqual({ exported: 1, dropped: 3 });
    expect(states).toEqual(['no', undefined]);
  });

  test('survive an exporter that throws', async () => {
    const { batches, states, add } = batchesTo(() => {
      throw new Error('a bug');
    });
    add(1);
    await batches.forceFlush();
    expect(batches.figures.dropped).toBe(1);
    expect(states).toEqual(['a bug']);
  });

  test('are only those that are to be kept', async () => {
    const { batches } = batchesTo((_batch, done) => done(OK));
    batches.onEnd(span(TraceFlags.NONE));
    await batches.forceFlush();
    expect(batches.figures).toEqual({ exported: 0, dropped: 0 });
  });
});
