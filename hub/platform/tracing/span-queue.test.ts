import { describe, expect, test } from 'bun:test';
import { TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SpanQueue, type SpanQueueOptions } from './span-queue.ts';

type Export = SpanQueueOptions['exporter']['export'];

const OK = { code: 0 };
const FAILED = { code: 1, error: new Error('no') };

const span = (traceFlags: TraceFlags = TraceFlags.SAMPLED) =>
  ({ spanContext: () => ({ traceFlags }) }) as unknown as ReadableSpan;

/** A queue whose collector answers when the test says so. */
function queueTo(onExport: Export, more: Partial<SpanQueueOptions> = {}) {
  const states: (string | undefined)[] = [];
  const exporter = { export: onExport, shutdown: () => Promise.resolve() };
  const onState = (error: Error | undefined) => void states.push(error?.message);
  const queue = new SpanQueue({ exporter, onState, delayMs: 1, ...more });
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) queue.onEnd(span());
  };
  return { queue, states, add };
}

describe('spans on their way to the collector', () => {
  test('go in batches, one after the other, and none is lost or doubled', async () => {
    const sizes: number[] = [];
    let open = 0;
    const { queue, add } = queueTo((batch, done) => {
      expect(++open).toBe(1);
      sizes.push(batch.length);
      setImmediate(() => {
        open -= 1;
        done(OK);
      });
    });
    add(1_300);
    await queue.forceFlush();
    expect(sizes).toEqual([512, 512, 276]);
    expect([queue.exported, queue.dropped]).toEqual([1_300, 0]);
  });

  test('go by themselves, when others have had time to come', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const { add } = queueTo((batch, done) => {
      done(OK);
      resolve(batch.length);
    });
    add(3);
    expect(await promise).toBe(3);
  });

  test('that are too many for a collector that hangs are dropped and counted, and take no memory', async () => {
    const held: (() => void)[] = [];
    let hangs = true;
    const { queue, add } = queueTo(
      (_batch, done) => {
        if (hangs) held.push(() => done(OK));
        else done(OK);
      },
      { maxWaiting: 1_000 },
    );
    add(512);
    const flushed = queue.forceFlush();
    add(1_000);
    expect(queue.dropped).toBe(0);
    add(5_000);
    expect(queue.dropped).toBe(5_000);
    hangs = false;
    for (const answer of held) answer();
    await flushed;
    expect([queue.exported, queue.dropped]).toEqual([1_512, 5_000]);
  });

  test('that the collector does not take are dropped; that it fails is told once, and that it takes again, too', async () => {
    let answer: typeof OK = FAILED;
    const { queue, states, add } = queueTo((_batch, done) => done(answer));
    for (let n = 0; n < 3; n += 1) {
      add(1);
      await queue.forceFlush();
    }
    expect([queue.exported, queue.dropped]).toEqual([0, 3]);
    answer = OK;
    add(1);
    await queue.forceFlush();
    expect([queue.exported, queue.dropped]).toEqual([1, 3]);
    expect(states).toEqual(['no', undefined]);
  });

  test('survive an exporter that throws', async () => {
    const { queue, states, add } = queueTo(() => {
      throw new Error('a bug');
    });
    add(1);
    await queue.forceFlush();
    expect(queue.dropped).toBe(1);
    expect(states).toEqual(['a bug']);
  });

  test('are only those that are to be kept', async () => {
    const { queue } = queueTo((_batch, done) => done(OK));
    queue.onEnd(span(TraceFlags.NONE));
    await queue.forceFlush();
    expect([queue.exported, queue.dropped]).toEqual([0, 0]);
  });
});
