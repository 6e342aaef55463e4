// How the engine runs a graph: steps are executions as any other, and each waits for its parents (decisions 40 to 42).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { EngineRuns, states } from '../engine-runs.ts';
import { openHubFile } from '../hub-file.ts';
import { postOf } from '../pipelines.ts';

const ENDPOINTS = [
  {
    name: 'job',
    command: 'job {{x}}',
    args: [{ name: 'x', type: 'text' }],
    env: { MODE: 'dry' },
    accepts_env: ['ALL', 'CODE'],
  },
  { name: 'guarded', command: 'guarded', approval_required: true },
  { name: 'narrow', command: 'narrow', max_concurrent: 1 },
];
const job = (id: string, more: object = {}) => ({ id, endpoint: 'job', ...more });

let runs: EngineRuns;
beforeAll(async () => {
  runs = await EngineRuns.make(ENDPOINTS);
});
afterAll(() => runs[Symbol.asyncDispose]());

describe('the steps of a run', () => {
  test('whose parents are done run side by side, and a join waits for all of them', async () => {
    const id = await runs.begin('side', [
      job('first'),
      job('left', { needs: ['first'] }),
      job('right', { needs: ['first'] }),
      job('join', { needs: ['left', 'right'] }),
    ]);
    await runs.play('first');
    const [left, right] = [await runs.ordered('left'), await runs.ordered('right')];
    runs.agent.end(right.execution_id, 0);
    await runs.until(id, 'right', 'succeeded');
    expect(states(await runs.show(id)).join).toBe('queued');
    runs.agent.end(left.execution_id, 0);
    await runs.play('join');
    expect((await runs.ended(id)).status).toBe('succeeded');
  });

  test('that are side by side are spread over the processes of their agent', async () => {
    await using pool = await EngineRuns.make([{ name: 'job', command: 'true' }]);
    await using second = await pool.world.agent({
      endpoints: [{ name: 'job', command: 'true' }],
      instance: crypto.randomUUID(),
    });
    const ids = ['a', 'b', 'c', 'd'];
    const run = await pool.begin(
      'wide',
      ids.map((id) => ({ id, endpoint: 'job' })),
    );
    await Promise.all(ids.map((id) => pool.until(run, id, 'running')));
    // The second frame of each is read only where each has got two.
    for (const agent of [pool.agent, second, pool.agent, second]) await agent.answer('done\n');
    expect((await pool.ended(run)).status).toBe('succeeded');
  });

  test('get values of input and of earlier steps unchanged, in arguments and in variables', async () => {
    const hostile = `$(touch x) "q" 'q' \\ {input.text} ü\n--`;
    await runs.world.manage(
      '/pipelines',
      postOf({
        slug: 'values',
        trigger: {
          type: 'webhook',
          input_schema: [
            { name: 'text', type: 'string' },
            { name: 'all', type: 'object' },
          ],
        },
        nodes: [
          job('one', { args: { x: 'a{input.text}' }, env: { ALL: '{input.all}' } }),
          job('two', {
            args: { x: '{steps.one.output}' },
            env: { CODE: '{steps.one.exit_code}' },
            needs: ['one'],
          }),
        ],
      }),
    );
    const id = await runs.start('values', { text: hostile, all: { n: [1, 'x'] } });
    const one = await runs.play('one', { text: `${hostile}\n` });
    expect([one.args, one.env]).toEqual([{ x: `a${hostile}` }, { ALL: '{"n":[1,"x"]}' }]);
    const two = await runs.play('two');
    expect([two.args, two.env]).toEqual([{ x: hostile }, { CODE: '0' }]);
    expect((await runs.ended(id)).status).toBe('succeeded');
  });

  test('say which step they are, for how long they may run, and go to the agent that the step names', async () => {
    await using other = await runs.world.agent({
      endpoints: ENDPOINTS,
      name: 'other',
      instance: '22222222-2222-4222-8222-222222222222',
    });
    const id = await runs.begin('there', [job('one', { agent_name: 'other', timeout: 7 })]);
    expect(await runs.play('one', { agent: other })).toMatchObject({ step: 'one', timeout: 7 });
    const { nodes } = await runs.ended(id);
    expect(nodes[0]?.attempts).toMatchObject([{ agent_name: 'other', status: 'succeeded' }]);
  });

  test('that a condition excludes are skipped', async () => {
    const id = await runs.begin('fork', [
      job('one'),
      { id: 'ok', kind: 'condition', expression: "{steps.one.output} == 'yes'", needs: ['one'] },
      job('next', { needs: ['ok'] }),
    ]);
    await runs.play('one', { text: 'no\n' });
    const run = await runs.ended(id);
    expect([run.status, states(run)]).toEqual([
      'succeeded',
      { one: 'succeeded', ok: 'succeeded', next: 'skipped' },
    ]);
  });

  test('whose endpoint has no room wait until there is', async () => {
    const narrow = (id: string) => ({ id, endpoint: 'narrow' });
    const id = await runs.begin('narrow-run', [narrow('one'), narrow('two')]);
    const first = await runs.agent.receive('run');
    const later = first.step === 'one' ? 'two' : 'one';
    await runs.untilExecution(id, later, 'queued');
    expect(runs.agent.unread('run')).toBe(0);
    runs.agent.end(first.execution_id, 0);
    await runs.play(later);
    expect((await runs.ended(id)).status).toBe('succeeded');
  });
});

describe('a step that cannot be called', () => {
  test('because of a value is rejected with what is wrong, and nothing runs', async () => {
    await runs.world.manage(
      '/pipelines',
      postOf({
        slug: 'dash',
        trigger: { type: 'webhook', input_schema: [{ name: 'x', type: 'string' }] },
        nodes: [job('one', { args: { x: '{input.x}' }, retry: { limit: 3, backoff: 0 } })],
      }),
    );
    const id = await runs.start('dash', { x: '--version' });
    const run = await runs.ended(id);
    expect(run.status).toBe('failed');
    expect(run.nodes).toMatchObject([{ status: 'failed', outcome: 'rejected', attempt: 1, attempts: [] }]);
    expect(run.nodes[0]).toHaveProperty('error', expect.stringContaining('x'));
    expect(runs.agent.unread('run')).toBe(0);
  });

  test('ends the run before the steps that would have begun with it do', async () => {
    await runs.world.manage(
      '/pipelines',
      postOf({
        slug: 'together',
        trigger: { type: 'webhook', input_schema: [{ name: 'x', type: 'string' }] },
        nodes: [job('good'), job('bad', { args: { x: '{input.x}' } })],
      }),
    );
    const run = await runs.ended(await runs.start('together', { x: '--version' }));
    expect([run.status, states(run)]).toEqual(['failed', { good: 'cancelled', bad: 'failed' }]);
    expect(run.nodes.flatMap(({ attempts }) => attempts)).toEqual([]);
    expect(runs.agent.unread('run')).toBe(0);
  });

  test('because its endpoint was deleted after the run had begun is rejected; a run that would need it does not begin', async () => {
    const made = await runs.world.manage('/endpoints', postOf({ slug: 'gone', command: 'true' }));
    expect(made.status).toBe(201);
    const id = await runs.begin('needs-gone', [job('one'), { id: 'two', endpoint: 'gone', needs: ['one'] }]);
    const { execution_id } = await runs.ordered('one');
    await runs.world.manage('/endpoints/gone', { method: 'DELETE' });
    runs.agent.end(execution_id, 0);
    const run = await runs.ended(id);
    expect(run.nodes[1]).toMatchObject({
      outcome: 'rejected',
      error: 'there is no endpoint "gone" any more',
    });
    const before = (await (await runs.world.manage('/pipeline-runs')).json()) as { items: unknown[] };
    const again = await runs.world.manage('/pipeline-runs', postOf({ pipeline: 'needs-gone' }));
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'stale' }]);
    const after = (await (await runs.world.manage('/pipeline-runs')).json()) as { items: unknown[] };
    expect(after.items).toHaveLength(before.items.length);
  });

  test('because no agent came within two minutes is rejected', async () => {
    await using alone = await EngineRuns.make(ENDPOINTS);
    const id = await alone.begin('alone', [job('one')]);
    await alone.play('one');
    await alone.ended(id);
    await alone.agent.vanish();
    const waiting = await alone.start('alone');
    await alone.untilExecution(waiting, 'one', 'queued');
    // The one of the agent that is away, and that of the step, which is on record before.
    await alone.world.clock.untilTimer(120_000, 2);
    alone.world.clock.move(120_000);
    expect((await alone.ended(waiting)).nodes[0]).toMatchObject({
      outcome: 'rejected',
      attempts: [{ code: 'agent_offline' }],
    });
  });

  test('because the quota is used up is rejected, and the others of the run continue', async () => {
    await using small = await EngineRuns.make(ENDPOINTS, { env: { SVC_DEFAULT_PLAN: 'free' } });
    const id = await small.begin('used', [job('one', { on_failure: 'continue' })]);
    await small.play('one');
    await small.ended(id);
    using database = openHubFile(small.world.dataDir);
    database.run("UPDATE quota SET used = 998 WHERE period = '2026-11'");
    const four = ['a', 'b', 'c', 'd'].map((name) => job(name, { on_failure: 'continue' }));
    const wide = await small.begin('wide', four);
    const orders = [await small.agent.receive('run'), await small.agent.receive('run')];
    for (const order of orders) small.agent.end(order.execution_id, 0);
    const run = await small.ended(wide);
    const outcomes = run.nodes.map((node) => (node as { outcome?: string }).outcome);
    expect(outcomes.toSorted()).toEqual(['rejected', 'rejected', 'succeeded', 'succeeded']);
    expect(small.agent.unread('run')).toBe(0);
    expect(database.query("SELECT used FROM quota WHERE period = '2026-11'").values()).toEqual([[1_000]]);
  });
});

describe('a run of a thousand steps', () => {
  const THOUSAND = 1_000;

  test('side by side runs each once, and ends', async () => {
    const id = await runs.begin(
      'thousand',
      Array.from({ length: THOUSAND }, (_, n) => job(`s${n}`)),
    );
    const seen = new Set<string>();
    for (let n = 0; n < THOUSAND; n += 1) {
      const order = await runs.agent.receive('run');
      seen.add(order.step ?? '');
      runs.agent.end(order.execution_id, 0);
    }
    expect((await runs.ended(id)).status).toBe('succeeded');
    expect([seen.size, runs.agent.unread('run')]).toEqual([THOUSAND, 0]);
  });
});
