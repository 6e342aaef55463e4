// A bug in a turn of a run: no acknowledged event is lost, and the bug blocks no other run.
import { afterEach, expect, test } from 'bun:test';
import { PipelineRuns } from '@svc/hub/pipelines/runs/store/run-store';
import { EngineRuns, states } from '../engine-runs.ts';

const { change } = PipelineRuns.prototype;
afterEach(() => {
  PipelineRuns.prototype.change = change;
});

/** The n-th change from now on fails with an unexpected error; settles when the hub has seen it. */
function breaks(nth: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  PipelineRuns.prototype.change = function (this: PipelineRuns, ...given) {
    count += 1;
    if (count !== nth) return change.apply(this, given);
    // Not before all that waits for the answer has had its turn.
    setImmediate(resolve);
    return Promise.reject(new Error('a bug'));
  };
  return promise;
}

/** A chain in which only one may run at a time, so that a place that is not given back would be missed. */
const CHAIN = [
  { id: 'one', endpoint: 'narrow', retry: { limit: 1, backoff: 60 } },
  { id: 'two', endpoint: 'narrow', needs: ['one'] },
];
const AGAIN_MS = 10_000;

test.each([1, 2])('a run whose change %i meets a bug continues, each step once', async (nth) => {
  await using runs = await EngineRuns.make([{ name: 'narrow', command: 'true', max_concurrent: 1 }]);
  const broken = breaks(nth);
  const id = await runs.begin('chain', CHAIN);
  if (nth === 2) await runs.play('one');
  await broken;
  // The interval of a hub's heartbeat.
  await runs.world.clock.untilTimer(AGAIN_MS, 2);
  runs.world.clock.move(AGAIN_MS);
  if (nth === 1) await runs.play('one');
  await runs.play('two');
  const ended = await runs.ended(id);
  expect(states(ended)).toEqual({ one: 'succeeded', two: 'succeeded' });
  expect(ended.nodes.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  expect(runs.agent.unread('run')).toBe(0);
  expect(runs.world.logLines.some((line) => line.includes('a bug'))).toBe(true);
});
