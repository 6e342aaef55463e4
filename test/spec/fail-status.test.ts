// The status and headers of a call for programs that read nothing else, on a hub and on `svc serve`: reference 4.1,
// decision 17, exit codes and failures.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { serveWorld, type World } from '../world.ts';

const exits = (code: number) => ({ kind: 'exited', exit_code: code, duration_ms: 5 }) as const;

async function readAnswer(response: Response) {
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    exitCode: header('x-exit-code'),
    id: header('x-execution-id'),
    applied: header('preference-applied'),
    body: (await response.json()) as Record<string, unknown>,
  };
}

describe('on a hub', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=60' } });
    agent = await world.agent({
      endpoints: [
        { name: 'deploy', command: 'true' },
        { name: 'own', command: 'echo {{fail}}', args: [{ name: 'fail' }] },
        { name: 'guarded', command: 'true', approval_required: true },
      ],
    });
    await makePipeline(world, {
      slug: 'ship',
      trigger: { type: 'manual' },
      nodes: [{ id: 'deploy', endpoint: 'deploy' }],
    });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** Calls, and plays a command that ends this way. */
  async function ended(path: string, ending: Parameters<ScriptedAgent['end']>[2], init?: RequestInit) {
    const called = world.call(path, init);
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'text\n');
    agent.end(id, 1, ending);
    return { ran: id, ...(await readAnswer(await called)) };
  }

  test('a result with a non-zero exit code is 502 with the same body, if the caller asks', async () => {
    const plain = await ended('deploy', exits(3));
    expect(plain).toMatchObject({ status: 200, exitCode: '3', applied: null, id: plain.ran });
    expect(plain.body).toEqual({ output: 'text\n', exit_code: 3, execution_id: plain.ran });
    const byQuery = await ended('deploy?fail=1', exits(3));
    expect(byQuery).toMatchObject({ status: 502, exitCode: '3', applied: 'fail-status', id: byQuery.ran });
    expect(byQuery.body).toEqual({ output: 'text\n', exit_code: 3, execution_id: byQuery.ran });
    const byHeader = await ended('deploy', exits(3), { headers: { prefer: 'fail-status' } });
    expect(byHeader).toMatchObject({ status: 502, exitCode: '3', applied: 'fail-status' });
    expect(await ended('deploy?fail=1', exits(0))).toMatchObject({ status: 200, exitCode: '0' });
    expect(await ended('deploy?fail=0', exits(3))).toMatchObject({ status: 200, exitCode: '3' });
  });

  test('without Accept the answer is one JSON body, as the status of a stream is sent before the end', async () => {
    const init = { headers: { accept: '*/*' } };
    expect(await ended('deploy?fail=1', exits(4), init)).toMatchObject({ status: 502, exitCode: '4' });
    const refused = await world.call('deploy?fail=1', { headers: { accept: 'text/event-stream' } });
    expect(await readAnswer(refused)).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect((await world.call('deploy?fail=yes')).status).toBe(400);
  });

  test('time-outs and lost executions are 502 with the id of the execution', async () => {
    const timedOut = await ended('deploy?fail=1', { kind: 'timed_out', duration_ms: 5 });
    const lost = await ended('deploy?fail=1', { kind: 'lost', message: 'gone' });
    for (const [answer, code] of [
      [timedOut, 'timeout'],
      [lost, 'lost'],
    ] as const)
      expect(answer).toMatchObject({
        status: 502,
        id: answer.ran,
        body: { code, execution_id: answer.ran },
      });
  });

  test('a command that has not ended, or waits for approval, is 504 with the body of its 202', async () => {
    const called = world.call('deploy?fail=1', { headers: { prefer: 'wait=0' } });
    const { execution_id: id } = await agent.receive('run');
    const unfinished = await readAnswer(await called);
    expect(unfinished).toMatchObject({ status: 504, id, applied: 'fail-status' });
    expect(unfinished.body).toMatchObject({ execution_id: id, status: 'running' });
    agent.end(id, 0, exits(0));
    const pending = await readAnswer(await world.call('guarded?fail=1'));
    expect(pending).toMatchObject({
      status: 504,
      body: { status: 'pending_approval', execution_id: pending.id },
    });
    const accepted = await world.call('deploy?fail=1', { headers: { prefer: 'respond-async' } });
    expect(accepted.status).toBe(202);
    agent.end((await agent.receive('run')).execution_id, 0, exits(0));
  });

  test('an argument named fail keeps its values', async () => {
    const called = world.call('own?fail=1');
    const { execution_id: id, args } = await agent.receive('run');
    agent.end(id, 0, exits(1));
    expect([args, (await called).status]).toEqual([{ fail: '1' }, 200]);
    const init = { headers: { prefer: 'fail-status' } };
    expect((await ended('own?fail=1', exits(1), init)).status).toBe(502);
  });

  test('the run of a pipeline answers the same', async () => {
    const run = await ended('ship?fail=1', exits(5), { method: 'POST' });
    expect(run).toMatchObject({ status: 502, exitCode: '5', body: { status: 'failed', exit_code: 5 } });
    expect((await ended('ship', exits(5), { method: 'POST' })).status).toBe(200);
    expect((await ended('ship?fail=1', exits(0), { method: 'POST' })).status).toBe(200);
  });

  test('an answer that cannot be given is refused before the run of a pipeline starts', async () => {
    const runs = async () => (await (await world.manage('/pipeline-runs')).json()) as object;
    const before = await runs();
    expect((await world.call('ship?fail=yes', { method: 'POST' })).status).toBe(400);
    const events = { method: 'POST', headers: { accept: 'text/event-stream' } };
    expect((await world.call('ship?fail=1', events)).status).toBe(400);
    expect(await runs()).toEqual(before);
  });

  test('a caller learns what is left of its rate', async () => {
    const left = ({ headers }: Response) =>
      ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
    world.clock.move(60_000);
    const call = async () => {
      const called = world.call('deploy');
      agent.end((await agent.receive('run')).execution_id, 0, exits(0));
      return await called;
    };
    expect(left(await call())).toEqual([60, 59, 1]);
    expect(left(await call())).toEqual([60, 58, 2]);
    world.clock.move(1_000);
    expect(left(await call())).toEqual([60, 58, 2]);
    for (let n = 0; n < 58; n += 1) await call();
    const refused = await world.call('deploy');
    expect([refused.status, ...left(refused)]).toEqual([429, 60, 0, 1]);
    world.clock.move(60_000);
  });
});

describe('on svc serve', () => {
  let world: World;
  beforeAll(async () => {
    world = await serveWorld([
      {
        name: 'deploy',
        command: 'echo text; exit {{code}}',
        args: [{ name: 'code', type: 'integer', default: 0 }],
      },
      { name: 'slow', command: 'sleep 30', timeout: 1 },
      { name: 'own', command: 'echo {{fail}}; exit 3', args: [{ name: 'fail' }] },
    ]);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const call = async (path: string, headers: Record<string, string> = {}) =>
    await readAnswer(await fetch(`${world.url}/${path}`, { headers }));

  test('a result with a non-zero exit code is 502 with the same body, if the caller asks', async () => {
    const asked = await call('deploy?code=3&fail=1');
    expect(asked).toMatchObject({ status: 502, exitCode: '3', applied: 'fail-status' });
    expect(asked.body).toEqual({ output: 'text\n', exit_code: 3, execution_id: asked.id });
    expect((await call('deploy?code=3', { prefer: 'fail-status' })).status).toBe(502);
    expect((await call('deploy?fail=1')).status).toBe(200);
    const plain = await call('deploy?code=3', { accept: 'application/json' });
    expect(plain).toMatchObject({ status: 200, exitCode: '3', body: { execution_id: plain.id } });
    expect((await call('deploy?fail=1', { accept: 'text/event-stream' })).status).toBe(400);
  });

  test('a time-out is 502 with the id of the execution; an argument named fail keeps its values', async () => {
    const slow = await call('slow?fail=1');
    expect(slow).toMatchObject({ status: 502, body: { code: 'timeout', execution_id: slow.id } });
    expect(slow.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await call('own?fail=x', { accept: 'application/json' })).toMatchObject({
      status: 200,
      body: { output: 'x\n' },
    });
  });
});
