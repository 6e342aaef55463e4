// How many runs a workspace may have open, and what a hub holds of those that wait (decision 26, limits, and decision 41,
// pipeline runs).
import { expect, test } from 'bun:test';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { EngineRuns } from '../engine-runs.ts';
import { makePipeline, postOf } from '../pipelines.ts';

const ENDPOINTS = [
  { name: 'ask', command: 'true', approval_required: true, approval_timeout_mins: 60 },
  { name: 'tell', command: 'true', args: [{ name: 'text' }] },
];

test('a workspace with as many open runs as its plan allows begins no other, whichever way, until one has ended', async () => {
  await using runs = await EngineRuns.make(ENDPOINTS, { env: { SVC_DEFAULT_PLAN: 'free' } });
  const { openRuns } = PLAN_LIMITS.free;
  await makePipeline(runs.world, {
    slug: 'ship',
    trigger: { type: 'manual' },
    nodes: [{ id: 'ask', endpoint: 'ask' }],
  });
  const ended = await runs.start('ship');
  await runs.cancel(ended);
  await runs.ended(ended);
  const open: string[] = [];
  for (let n = 0; n < openRuns; n += 1) open.push(await runs.start('ship'));
  for (const refused of [
    await runs.world.manage('/pipeline-runs', postOf({ pipeline: 'ship' })),
    await runs.world.manage(`/pipeline-runs/${ended}/rerun`, { method: 'POST' }),
    await runs.world.call('ship', { method: 'POST' }),
  ]) {
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      code: 'concurrency_limited',
      details: { limit: openRuns },
    });
  }
  await runs.cancel(open[0] ?? '');
  await runs.ended(open[0] ?? '');
  await runs.start('ship');
});

test('a run that has waited for long continues with its input and the results of its steps', async () => {
  await using runs = await EngineRuns.make(ENDPOINTS);
  await makePipeline(runs.world, {
    slug: 'release',
    trigger: { type: 'webhook', input_schema: [{ name: 'ref', type: 'string' }] },
    nodes: [
      { id: 'one', endpoint: 'tell' },
      { id: 'guarded', endpoint: 'ask', needs: ['one'] },
      {
        id: 'two',
        endpoint: 'tell',
        args: { text: '{input.ref} {steps.one.output}' },
        needs: ['guarded'],
        retry: { limit: 1, backoff: 60 },
      },
    ],
  });
  const id = await runs.start('release', { ref: 'main' });
  await runs.play('one', { text: 'first\n' });
  await runs.until(id, 'guarded', 'waiting_approval');
  runs.world.clock.move(2_000);
  await runs.decide(id, 'guarded', 'approve');
  await runs.play('guarded');
  await runs.play('two', { exitCode: 1 });
  await runs.world.clock.untilTimer(60_000);
  runs.world.clock.move(60_000);
  expect((await runs.play('two')).args).toEqual({ text: 'main first' });
  expect((await runs.ended(id)).status).toBe('succeeded');
});
