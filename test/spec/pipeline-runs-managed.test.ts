// The actions of members and keys on runs: start, list, show, stop, run again (decisions 20, 41 and 47).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf, showRun, type WholeRun } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = ['build', 'test', 'deploy'].map((name) => ({ name, command: name }));
const ASYNC = { method: 'POST', headers: { prefer: 'respond-async' } };
const POST = { method: 'POST' };

let world: HubWorld;
let agent: ScriptedAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  await makePipeline(world, {
    slug: 'ship',
    trigger: {
      type: 'webhook',
      secret: 'x',
      input_schema: [{ name: 'ref', type: 'string', required: true }],
    },
    nodes: [
      { id: 'build', endpoint: 'build' },
      { id: 'test', endpoint: 'test', needs: ['build'] },
      { id: 'deploy', endpoint: 'deploy', needs: ['test'] },
    ],
  });
  await makePipeline(world, {
    slug: 'one',
    trigger: { type: 'manual' },
    nodes: [{ id: 'build', endpoint: 'build' }],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

interface Listed {
  readonly run_id: string;
  readonly pipeline: string;
  readonly status: string;
}

async function begin(input: unknown = { ref: 'main' }, pipeline = 'ship') {
  const response = await world.manage('/pipeline-runs', postOf({ pipeline, input }));
  return { status: response.status, ...((await response.json()) as { run_id: string; code?: string }) };
}

async function play(slug: string, code = 0): Promise<string> {
  const { execution_id: id } = await agent.receive('run', ({ endpoint }) => endpoint === slug);
  agent.end(id, 0, { kind: 'exited', exit_code: code, duration_ms: 5 });
  return id;
}

async function ended(runId: string): Promise<WholeRun> {
  await (await world.manage(`/pipeline-runs/${runId}/stream`)).text();
  return showRun(world, runId);
}

async function list(query: string, headers?: Record<string, string>): Promise<Listed[]> {
  const response = await world.manage(`/pipeline-runs${query}`, headers === undefined ? {} : { headers });
  return ((await response.json()) as { items: Listed[] }).items;
}

const states = ({ nodes }: WholeRun) => nodes.map(({ node, status }) => `${node} ${status}`);
const tries = ({ nodes }: WholeRun) => nodes.map(({ attempts }) => attempts.length);

describe('a member', () => {
  test('starts any pipeline with an input, which is checked as that of a sender is', async () => {
    for (const input of [{}, { ref: 1 }])
      expect(await begin(input)).toMatchObject({ status: 400, code: 'invalid_argument' });
    expect(await begin({}, 'nowhere')).toMatchObject({ status: 404 });
    const { run_id: runId } = await begin({ ref: 'main', more: [1] });
    for (const slug of ['build', 'test', 'deploy']) await play(slug);
    const run = await ended(runId);
    expect(run).toMatchObject({
      pipeline: 'ship',
      version: 1,
      trigger: 'call',
      status: 'succeeded',
      exit_code: 0,
      input: { ref: 'main' },
    });
    expect(states(run)).toEqual(['build succeeded', 'test succeeded', 'deploy succeeded']);
    const execution = await world.manage(`/executions/${run.nodes[0]?.attempts[0]?.execution_id}`);
    expect(await execution.json()).toMatchObject({ trigger: 'pipeline', run_id: runId, step: 'build' });
  });

  test('lists runs by pipeline and state, page by page', async () => {
    const { run_id: runId } = await begin({}, 'one');
    await agent.receive('run');
    expect((await list('?status=running')).map((run) => run.run_id)).toEqual([runId]);
    expect((await list('?pipeline=one')).map((run) => run.run_id)).toEqual([runId]);
    expect(await list('?pipeline=one&status=succeeded')).toEqual([]);
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const response = await world.manage(
        `/pipeline-runs?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const page = (await response.json()) as { items: Listed[]; next_cursor: string | null };
      pages.push(...page.items.map((run) => run.run_id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual((await list('?limit=100')).map((run) => run.run_id));
    expect(pages[0]).toBe(runId);
    await world.manage(`/pipeline-runs/${runId}/cancel`, POST);
  });

  test('stops a run: running steps are cancelled, the rest is skipped, and this is final', async () => {
    const { run_id: runId } = await begin();
    const { execution_id: id } = await agent.receive('run', ({ endpoint }) => endpoint === 'build');
    const response = await world.manage(`/pipeline-runs/${runId}/cancel`, POST);
    expect([response.status, await response.json()]).toMatchObject([
      202,
      { cancel_asked_at: expect.any(String) },
    ]);
    await agent.receive('cancel', (frame) => frame.execution_id === id);
    agent.end(id, 0, { kind: 'cancelled', duration_ms: 1 });
    const run = await ended(runId);
    expect([run.status, run.error]).toEqual(['cancelled', 'the run was cancelled']);
    expect(states(run)).toEqual(['build cancelled', 'test skipped', 'deploy skipped']);
    expect((await world.manage(`/pipeline-runs/${runId}/cancel`, POST)).status).toBe(202);
    expect((await showRun(world, runId)).status).toBe('cancelled');
  });

  test('runs the failed steps of a run again, and no others', async () => {
    const { run_id: oldId } = await begin();
    await play('build');
    await play('test', 1);
    expect(states(await ended(oldId))).toEqual(['build succeeded', 'test failed', 'deploy skipped']);
    const response = await world.manage(`/pipeline-runs/${oldId}/rerun`, POST);
    expect(response.status).toBe(202);
    const { run_id: newId } = (await response.json()) as { run_id: string };
    await play('test');
    await play('deploy');
    const again = await ended(newId);
    expect(again).toMatchObject({
      rerun_of: oldId,
      trigger: 'rerun',
      status: 'succeeded',
      input: { ref: 'main' },
    });
    expect(states(again)).toEqual(['build succeeded', 'test succeeded', 'deploy succeeded']);
    expect(tries(again)).toEqual([0, 1, 1]);
    expect(again.nodes[0]).toMatchObject({ carried: true });
    const fromBuild = await world.manage(`/pipeline-runs/${newId}/rerun`, postOf({ from: ['build'] }));
    const { run_id: wholeId } = (await fromBuild.json()) as { run_id: string };
    for (const slug of ['build', 'test', 'deploy']) await play(slug);
    expect(tries(await ended(wholeId))).toEqual([1, 1, 1]);
  });

  test('cannot run again an unfinished run, or from an unknown step', async () => {
    const { run_id: runId } = await begin({}, 'one');
    const early = await world.manage(`/pipeline-runs/${runId}/rerun`, POST);
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([409, 'stale']);
    await play('build');
    await ended(runId);
    const nowhere = await world.manage(`/pipeline-runs/${runId}/rerun`, postOf({ from: ['nowhere'] }));
    expect([nowhere.status, await nowhere.json()]).toMatchObject([
      400,
      { details: { fields: [{ field: 'from' }] } },
    ]);
  });
});

describe('a run of a pipeline that has changed since', () => {
  const make = (slug: string) =>
    makePipeline(world, { slug, trigger: { type: 'manual' }, nodes: [{ id: 'build', endpoint: 'build' }] });
  const manage = async (method: string, path: string, init: RequestInit = {}) =>
    (await world.manage(path, { ...init, method })).status;

  test('begins no other once the pipeline is deleted, and is shown all the same', async () => {
    await make('gone');
    const { run_id: id } = await begin({}, 'gone');
    await play('build');
    await ended(id);
    expect(await manage('DELETE', '/pipelines/gone')).toBe(204);
    const response = await world.manage(`/pipeline-runs/${id}/rerun`, POST);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: 'stale', error: 'its pipeline was deleted: no run of it begins any more' },
    ]);
    expect((await showRun(world, id)).status).toBe('succeeded');
  });

  test('is not run again by a key that may call another pipeline, which has its name now', async () => {
    await make('first');
    const made = await world.manage('/api-keys', postOf({ name: 'first', endpoints: ['first'] }));
    const { token } = (await made.json()) as { token: string };
    const key = { headers: { 'x-api-key': token } };
    const response = await world.call('first', { ...ASYNC, headers: { ...ASYNC.headers, ...key.headers } });
    const { run_id: id } = (await response.json()) as { run_id: string };
    await play('build');
    await ended(id);
    expect(await manage('PATCH', '/pipelines/first', postOf({ slug: 'second' }))).toBe(200);
    await make('first');
    const again = () =>
      fetch(`${world.hub.hubUrl}/pipeline-runs/${id}/rerun`, { method: 'POST', headers: key.headers });
    expect((await again()).status).toBe(404);
    expect((await world.manage(`/pipeline-runs/${id}/rerun`, POST)).status).toBe(202);
  });
});

describe('a key', () => {
  test('sees, stops and runs again its own runs, and nothing of those of others', async () => {
    const made = await world.manage('/api-keys', postOf({ name: 'ci', endpoints: ['one'] }));
    const { id: keyId, token } = (await made.json()) as { id: string; token: string };
    const key = { authorization: `Bearer ${token}` };
    const { run_id: others } = await begin({}, 'one');
    await play('build', 1);
    await ended(others);
    const response = await world.call('one', { ...ASYNC, headers: { ...ASYNC.headers, 'x-api-key': token } });
    const { run_id: own } = (await response.json()) as { run_id: string };
    const execution = await play('build', 1);
    await ended(own);
    expect((await list('', key)).map((run) => run.run_id)).toEqual([own]);
    const status = async (path: string, init: RequestInit = {}) =>
      (await world.manage(path, { ...init, headers: key })).status;
    expect(await status(`/executions/${execution}`)).toBe(200);
    for (const [id, wanted] of [
      [own, [200, 200, 202, 202]],
      [others, [404, 404, 404, 404]],
      [crypto.randomUUID(), [404, 404, 404, 404]],
    ] as const)
      expect([
        await status(`/pipeline-runs/${id}`),
        await status(`/pipeline-runs/${id}/stream`),
        await status(`/pipeline-runs/${id}/cancel`, POST),
        await status(`/pipeline-runs/${id}/rerun`, POST),
      ]).toEqual([...wanted]);
    await play('build');
    expect(await status('/pipeline-runs', postOf({ pipeline: 'one' }))).toBe(401);
    await world.manage(`/api-keys/${keyId}`, { method: 'DELETE' });
    expect(await status(`/pipeline-runs/${own}`)).toBe(401);
  });
});

describe('an Idempotency-Key of a member', () => {
  const start = (key: string, body: object = { pipeline: 'one' }) =>
    world.manage('/pipeline-runs', postOf(body, { 'idempotency-key': key }));
  const rerun = (id: string, key: string, body: object = {}) =>
    world.manage(`/pipeline-runs/${id}/rerun`, postOf(body, { 'idempotency-key': key }));
  const readAnswer = async (response: Response) => {
    const { run_id: runId, code } = (await response.json()) as { run_id?: string; code?: string };
    return [response.status, code ?? runId];
  };

  test('begins one run: 409 while it runs, then the same answer; 422 for another request', async () => {
    const first = await start('started');
    expect(first.status).toBe(202);
    const { run_id: runId } = (await first.json()) as { run_id: string };
    expect(await readAnswer(await start('started'))).toEqual([409, 'idempotency_in_progress']);
    await play('build', 1);
    expect((await ended(runId)).status).toBe('failed');
    expect(await readAnswer(await start('started'))).toEqual([202, runId]);
    expect(await readAnswer(await rerun(runId, 'started'))).toEqual([422, 'idempotency_mismatch']);
    const other = { pipeline: 'ship', input: { ref: 'a' } };
    const { run_id: released } = (await (await start('of ship', other)).json()) as { run_id: string };
    expect(await readAnswer(await start('of ship', { ...other, input: { ref: 'b' } }))).toEqual([
      422,
      'idempotency_mismatch',
    ]);
    await play('build', 1);
    await ended(released);
    expect(await readAnswer(await start('a'.repeat(256)))).toEqual([400, 'invalid_argument']);
  });

  test('begins one rerun, of the steps that it was for', async () => {
    const { run_id: failed } = await begin({}, 'one');
    await play('build', 1);
    await ended(failed);
    const { run_id: again } = (await (await rerun(failed, 'again')).json()) as { run_id: string };
    expect(await readAnswer(await rerun(failed, 'again'))).toEqual([409, 'idempotency_in_progress']);
    await play('build');
    await ended(again);
    expect(await readAnswer(await rerun(failed, 'again'))).toEqual([202, again]);
    expect(await readAnswer(await rerun(failed, 'again', { from: ['build'] }))).toEqual([
      422,
      'idempotency_mismatch',
    ]);
    expect(agent.unread('run')).toBe(0);
  });
});

test('nothing begins in a month that is used up', async () => {
  await using free = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'free', SVC_RATE_LIMITS: 'off' } });
  await free.restart(async () => {
    using database = openHubFile(free.dataDir);
    database.run("insert into quota (workspace_id, period, used) select id, '2026-11', 1000 from workspaces");
  });
  await using _agent = await free.agent({ endpoints: ENDPOINTS });
  await makePipeline(free, {
    slug: 'one',
    trigger: { type: 'manual' },
    nodes: [{ id: 'build', endpoint: 'build' }],
  });
  const used = await free.call('one', POST);
  expect([used.status, ((await used.json()) as { code: string }).code]).toEqual([429, 'quota_exceeded']);
  const started = await free.manage('/pipeline-runs', postOf({ pipeline: 'one' }));
  expect(started.status).toBe(429);
  const listed = await free.manage('/pipeline-runs');
  expect(await listed.json()).toMatchObject({ items: [] });
});
