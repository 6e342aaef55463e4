import { describe, expect, test } from 'bun:test';
import type { ExecutionState } from '../execution/state.ts';
import { LiveEventBatch } from './batch.ts';
import type { LiveEvent } from './live-event.ts';

const execution = (id: number, state: ExecutionState = 'running'): LiveEvent => ({
  kind: 'execution',
  executionId: `e${id}`,
  slug: 'job',
  state,
  reason: undefined,
  trigger: 'call',
});
const change = (id: number): LiveEvent => ({
  kind: 'change',
  action: 'secret.set',
  target: { kind: 'secret', id: `s${id}`, name: `S${id}` },
});

function batchOf(event: readonly LiveEvent[]): LiveEventBatch {
  const batch = new LiveEventBatch();
  for (const one of event) batch.add(one);
  return batch;
}

describe('live events in one batch', () => {
  test('say of each execution only what it is now, in the order of the newest', () => {
    const batch = batchOf([execution(1), execution(2), execution(1, 'failed')]);
    expect(batch.take()).toEqual([execution(2), execution(1, 'failed')]);
    expect(batch.take()).toEqual([]);
  });

  test('name 25 executions, and of more only their number', () => {
    const some = Array.from({ length: 25 }, (_, at) => execution(at));
    expect(batchOf(some).take()).toEqual(some);
    const many = Array.from({ length: 10_000 }, (_, at) => execution(at));
    expect(batchOf([change(1), ...many, change(2)]).take()).toEqual([
      { kind: 'executions', count: 10_000 },
      change(1),
      change(2),
    ]);
  });

  test('start again after a limit', () => {
    const batch = batchOf(Array.from({ length: 26 }, (_, at) => execution(at)));
    batch.take();
    batch.add(execution(1));
    expect(batch.take()).toEqual([execution(1)]);
  });

  test('exceed the limit with more than 200 other changes, where a repeated change counts once', () => {
    const changes = Array.from({ length: 200 }, (_, at) => change(at));
    expect(batchOf([...changes, ...changes]).take()).toEqual(changes);
    const batch = batchOf([...changes, change(200), execution(1)]);
    expect(batch.take()).toBe('overfull');
    expect(batch.take()).toEqual([]);
  });
});
