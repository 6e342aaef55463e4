import { expect, test } from 'bun:test';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { advance } from '@svc/core/pipeline/run/advance';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import { graphOf } from '@svc/core/pipeline/run/graph';
import { applyRunChange, newRun } from '@svc/core/pipeline/run/new-run';
import { MovableClock } from '../../../test/movable-clock.ts';
import { type DriveDeps, DrivenRun, type LoadedRun } from './driven-run.ts';
import type { RunFacts } from './run-ports.ts';

const PIPELINE: Pipeline = {
  slug: 'ship',
  trigger: { type: 'manual', public: false, inputSchema: [] },
  nodes: [{ kind: 'step', id: 'ask', endpoint: 'ask', args: {}, env: {}, onFailure: 'stop' }],
  edges: [{ from: 'trigger', to: 'ask' }],
};
const WAITING: readonly RunEvent[] = [
  { kind: 'started', atMs: 0 },
  { kind: 'step_waiting', atMs: 0, step: 'ask', attempt: 1 },
];

/** A run whose only step waits for an approval, at a hub that counts its reads. */
function waiting() {
  const clock = new MovableClock();
  const loaded = (): LoadedRun => {
    const graph = graphOf(PIPELINE);
    const state = newRun(graph, { text: 'x'.repeat(1_000) });
    for (const event of WAITING) {
      const change = advance(graph, state, event);
      if (change !== undefined) applyRunChange(state, change);
    }
    return { run: { id: 'r', slug: 'ship' } as RunFacts, graph, state, isCancelRequested: false };
  };
  const seen = { loads: 0, ends: [] as string[] };
  const deps = {
    clock,
    runs: { change: () => Promise.resolve('stored') },
    random: { uuid: () => 'id' },
    reportBug: (error: unknown) => {
      throw error;
    },
  } as unknown as DriveDeps;
  const { promise: acted, resolve } = Promise.withResolvers<void>();
  const driven = new DrivenRun(
    deps,
    {
      act: (_, { change }) => {
        seen.ends.push(change.head.stopping ?? change.head.state);
        resolve();
      },
      load: () => {
        seen.loads += 1;
        return Promise.resolve(loaded());
      },
      over: () => undefined,
    },
    loaded(),
  );
  return { clock, driven, seen, acted };
}

test('an idle run is evicted from memory, and read again at the next event', async () => {
  const { clock, driven, seen, acted } = waiting();
  clock.move(1_000);
  driven.evictIfIdle(1_000);
  driven.enqueue({ kind: 'cancel_asked', atMs: clock.nowMs() });
  await acted;
  expect(seen).toEqual({ loads: 1, ends: ['cancelled'] });
});

test('a run with a recent event stays in memory', async () => {
  const { clock, driven, seen, acted } = waiting();
  clock.move(999);
  driven.evictIfIdle(1_000);
  driven.enqueue({ kind: 'cancel_asked', atMs: clock.nowMs() });
  await acted;
  expect(seen).toEqual({ loads: 0, ends: ['cancelled'] });
});

test('a run with a pending turn stays in memory, however old its last turn is', async () => {
  const { clock, driven, seen, acted } = waiting();
  clock.move(60_000);
  driven.enqueue({ kind: 'cancel_asked', atMs: clock.nowMs() });
  driven.evictIfIdle(1_000);
  await acted;
  expect(seen).toEqual({ loads: 0, ends: ['cancelled'] });
});
