// How runs end before their time, wait, are tried again and go on after the hub was gone: decision 24, states and takeover,
// and decision 41, pipeline runs.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { EngineRuns, states } from '../engine-runs.ts';
import { postOf } from '../pipelines.ts';

const ENDPOINTS = [
  { name: 'job', command: 'job' },
  { name: 'guarded', command: 'guarded', approval_required: true },
];
const job = (id: string, more: object = {}) => ({ id, endpoint: 'job', ...more });
const approved = (id: string, more: object = {}) => ({ id, endpoint: 'guarded', ...more });

let runs: EngineRuns;
beforeAll(async () => {
  runs = await EngineRuns.make(ENDPOINTS);
});
afterAll(() => runs[Symbol.asyncDispose]());

const cancelled = async (step: string, id: string) =>
  runs.agent.receive('cancel', ({ execution_id }) => execution_id === id).then(() => step);

describe('a step that fails', () => {
  test('ends the run: what runs beside it is cancelled, the rest is skipped', async () => {
    const id = await runs.begin('stops', [job('bad'), job('beside'), job('after', { needs: ['beside'] })]);
    const beside = await runs.ordered('beside');
    await runs.play('bad', { exitCode: 3 });
    await cancelled('beside', beside.execution_id);
    expect((await runs.show(id)).status).toBe('running');
    runs.agent.end(beside.execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
    const run = await runs.ended(id);
    expect(run).toMatchObject({ status: 'failed', stopped_by: 'bad' });
    expect(states(run)).toEqual({ bad: 'failed', beside: 'cancelled', after: 'skipped' });
  });

  test('and says "continue" ends nothing: what hangs on it alone runs, a join is skipped', async () => {
    const id = await runs.begin('continues', [
      job('bad', { on_failure: 'continue' }),
      job('beside'),
      job('after', { needs: ['bad'] }),
      job('join', { needs: ['bad', 'beside'] }),
    ]);
    await runs.play('bad', { exitCode: 3 });
    await runs.play('beside');
    await runs.play('after');
    const run = await runs.ended(id);
    expect(run.status).toBe('succeeded');
    expect(states(run)).toEqual({ bad: 'failed', beside: 'succeeded', after: 'succeeded', join: 'skipped' });
    const listed = (await (await runs.world.manage('/pipeline-runs?pipeline=continues')).json()) as object;
    expect(listed).toMatchObject({ items: [{ status: 'succeeded', failed_steps: 1 }] });
  });

  test('is tried again when its time has come, each try an execution of its own', async () => {
    const id = await runs.begin('again', [job('shaky', { retry: { limit: 2, backoff: 77 } })]);
    await runs.play('shaky', { exitCode: 1 });
    await runs.world.clock.untilTimer(77_000);
    expect(runs.agent.unread('run')).toBe(0);
    runs.world.clock.move(77_000);
    await runs.play('shaky', { exitCode: 1 });
    await runs.world.clock.untilTimer(154_000);
    runs.world.clock.move(154_000);
    await runs.play('shaky');
    const { status, nodes } = await runs.ended(id);
    expect([status, nodes[0]?.attempts.map(({ status: how }) => how)]).toEqual([
      'succeeded',
      ['failed', 'failed', 'succeeded'],
    ]);
  });

  test('because its agent was lost moves nothing when the agent proves later that it had succeeded', async () => {
    await using own = await EngineRuns.make(ENDPOINTS);
    const id = await own.begin('late', [job('one'), job('two', { needs: ['one'] })]);
    const { execution_id } = await own.ordered('one');
    const following = own.ended(id);
    const absent = own.world.clock.untilTimer(120_000);
    await own.agent.vanish();
    await absent;
    own.world.clock.move(120_000);
    expect(states(await following)).toEqual({ one: 'failed', two: 'skipped' });
    const inFlight = [{ execution_id, last_seq: 0, ended: true }];
    own.agent = await own.world.agent({ endpoints: ENDPOINTS, inFlight });
    own.agent.end(execution_id, 0);
    await own.agent.receive('ended_ack');
    expect((await own.untilExecution(id, 'one', 'succeeded')).status).toBe('failed');
    expect(own.agent.unread('run')).toBe(0);
  });
});

describe('a step that has to be approved', () => {
  test('pauses the run, which continues when a person approves it', async () => {
    const id = await runs.begin('pauses', [approved('ask'), job('next', { needs: ['ask'] })]);
    await runs.until(id, 'ask', 'waiting_approval');
    expect((await runs.show(id)).status).toBe('waiting_approval');
    expect(runs.agent.unread('run')).toBe(0);
    await runs.decide(id, 'ask', 'approve');
    await runs.play('ask');
    await runs.play('next');
    expect((await runs.ended(id)).status).toBe('succeeded');
  });

  test('fails when a person denies it', async () => {
    const id = await runs.begin('denied', [approved('ask'), job('next', { needs: ['ask'] })]);
    await runs.decide(id, 'ask', 'deny');
    const run = await runs.ended(id);
    expect(run.nodes[0]).toMatchObject({ outcome: 'denied', status: 'failed' });
    expect(states(run).next).toBe('skipped');
  });

  test('fails when the approval expires', async () => {
    const id = await runs.begin('ignored', [approved('ask')]);
    await runs.until(id, 'ask', 'waiting_approval');
    runs.world.clock.move(31 * 60_000);
    expect((await runs.ended(id)).nodes[0]).toMatchObject({ outcome: 'expired' });
  });
});

describe('a run that is cancelled', () => {
  test('while a step waits for approval leaves nothing to decide', async () => {
    const id = await runs.begin('unasked', [approved('ask'), job('next', { needs: ['ask'] })]);
    const { attempts } = await runs.until(id, 'ask', 'waiting_approval');
    expect((await runs.cancel(id)).ok).toBe(true);
    const run = await runs.ended(id);
    expect([run.status, states(run)]).toEqual(['cancelled', { ask: 'cancelled', next: 'skipped' }]);
    const approval = await runs.world.manage(`/approvals/${attempts[0]?.approval_id}`);
    expect(await approval.json()).toMatchObject({ status: 'expired', reason: 'cancelled' });
  });

  test('while a step waits for its next try does not try it', async () => {
    const id = await runs.begin('untried', [job('shaky', { retry: { limit: 1, backoff: 600 } })]);
    await runs.play('shaky', { exitCode: 1 });
    await runs.world.clock.untilTimer(600_000);
    await runs.cancel(id);
    expect((await runs.ended(id)).status).toBe('cancelled');
    runs.world.clock.move(600_000);
    expect(runs.agent.unread('run')).toBe(0);
  });

  test('while a step runs ends when the command has', async () => {
    const id = await runs.begin('stopped', [job('one'), job('two', { needs: ['one'] })]);
    const { execution_id } = await runs.ordered('one');
    await runs.cancel(id);
    await cancelled('one', execution_id);
    expect((await runs.show(id)).status).toBe('running');
    runs.agent.end(execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
    expect((await runs.ended(id)).status).toBe('cancelled');
    expect(runs.agent.unread('run')).toBe(0);
  });

  test('while a step waits for an agent takes it out of the line', async () => {
    await using own = await EngineRuns.make(ENDPOINTS);
    const id = await own.begin('unread', [job('one')]);
    await own.play('one');
    await own.ended(id);
    await own.agent.vanish();
    const waiting = await own.start('unread');
    await own.untilExecution(waiting, 'one', 'queued');
    await own.cancel(waiting);
    expect((await own.ended(waiting)).status).toBe('cancelled');
    await own.untilExecution(waiting, 'one', 'cancelled');
  });
});

test('the end of a run is reported by alert rules, but not of a cancelled run', async () => {
  await using receiver = new Receiver();
  await using own = await EngineRuns.make(ENDPOINTS, { env: { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1' } });
  const events = ['pipeline.failed', 'pipeline.succeeded'];
  const rule = { name: 'runs', events, channel: 'webhook', target: receiver.url };
  expect((await own.world.manage('/alerts', postOf(rule))).status).toBe(201);
  const cancelledId = await own.begin('reported', [job('one'), job('two', { needs: ['one'] })]);
  const { execution_id } = await own.ordered('one');
  await own.cancel(cancelledId);
  own.agent.end(execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
  await own.ended(cancelledId);
  const well = await own.start('reported');
  await own.play('one');
  await own.play('two');
  // Alerts of the same moment arrive in any order.
  await receiver.until(1);
  const badly = await own.start('reported');
  await own.play('one', { exitCode: 3 });
  await receiver.until(2);
  expect(receiver.bodies).toMatchObject([
    { type: 'pipeline.succeeded', data: { run_id: well, pipeline: 'reported', failed_step: null } },
    { type: 'pipeline.failed', data: { run_id: badly, pipeline: 'reported', failed_step: 'one' } },
  ]);
});

describe('a restarted hub', () => {
  test('continues running steps, pending approvals and retries', async () => {
    await using own = await EngineRuns.make(ENDPOINTS);
    const ids = [
      await own.begin('r-running', [job('one'), job('two', { needs: ['one'] })]),
      await own.begin('r-guarded', [approved('ask')]),
      await own.begin('r-retry', [job('shaky', { retry: { limit: 1, backoff: 600 } })]),
    ] as const;
    const { execution_id } = await own.ordered('one');
    await own.play('shaky', { exitCode: 1 });
    await own.world.clock.untilTimer(600_000);
    await own.until(ids[1], 'ask', 'waiting_approval');
    await own.world.restart();
    const inFlight = [{ execution_id, last_seq: 0, ended: false }];
    own.agent = await own.world.agent({ endpoints: ENDPOINTS, inFlight });
    own.agent.end(execution_id, 0);
    await own.play('two');
    await own.decide(ids[1], 'ask', 'approve');
    await own.play('ask');
    own.world.clock.move(600_000);
    await own.play('shaky');
    for (const id of ids) expect((await own.ended(id)).status).toBe('succeeded');
    expect(own.agent.unread('run')).toBe(0);
  });

  test('learns what has ended while it was away, and carries out requested cancellations', async () => {
    await using own = await EngineRuns.make(ENDPOINTS);
    const id = await own.begin('away', [job('one'), job('two', { needs: ['one'] })]);
    const asked = await own.begin('asked', [job('three')]);
    const [one, three] = [await own.ordered('one'), await own.ordered('three')];
    await own.cancel(asked);
    await own.agent.receive('cancel');
    await own.world.restart();
    const inFlight = [one, three].map(({ execution_id }) => ({ execution_id, last_seq: 0, ended: true }));
    own.agent = await own.world.agent({ endpoints: ENDPOINTS, inFlight });
    own.agent.end(one.execution_id, 0);
    own.agent.end(three.execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
    await own.play('two');
    expect((await own.ended(id)).status).toBe('succeeded');
    expect((await own.ended(asked)).status).toBe('cancelled');
  });
});

test('a workspace that is deleted takes its runs with it: none continues', async () => {
  await using own = await EngineRuns.make(ENDPOINTS);
  await own.begin('doomed', [job('one', { on_failure: 'continue' }), job('two', { needs: ['one'] })]);
  const { execution_id } = await own.ordered('one');
  const { username } = own.world.start;
  const deleted = own.world.manage('/workspace/deletion', postOf({ username }));
  await own.agent.receive('cancel');
  own.agent.end(execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
  expect((await deleted).ok).toBe(true);
  await own.agent.closed;
  expect(own.agent.unread('run')).toBe(0);
});
