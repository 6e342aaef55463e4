// The facts of a webhook beside its body: `{trigger.event}`, `{trigger.delivery}`, GitHub's ping, and lists (decision 42,
// references and conditions, and decision 43, calling a pipeline).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { eventsOf, makePipeline, postOf, showRun } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { fromGitHub, withHeaders } from '../webhooks.ts';

const SECRET = 'the secret of the hook';
const PUSH = JSON.stringify({ commits: [{ id: 'c0' }, { id: 'c1' }], more: 1 });

let world: HubWorld;
let agent: ScriptedAgent;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  const args = ['event', 'delivery', 'commit', 'all'].map((name) => ({ name, type: 'text' }));
  agent = await world.agent({
    endpoints: [
      { name: 'job', command: 'job {{event}} {{delivery}} {{commit}} {{all}}', args },
      { name: 'pushed', command: 'pushed' },
    ],
  });
  await makePipeline(world, {
    slug: 'hook',
    trigger: {
      type: 'webhook',
      secret: SECRET,
      input_schema: [{ name: 'commits', type: 'array', required: true }],
    },
    nodes: [
      {
        id: 'job',
        endpoint: 'job',
        args: {
          event: 'a {trigger.event}',
          delivery: '{trigger.delivery}',
          commit: '{input.commits.1.id}',
          all: '{input.commits}',
        },
      },
      { id: 'is_push', expression: '{trigger.event} == "push"', needs: ['job'] },
      { id: 'pushed', endpoint: 'pushed', needs: [{ node: 'is_push', when: true }] },
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const send = (init: RequestInit) => fetch(world.urlOf('hook'), init);
async function runOf(response: Response): Promise<string> {
  expect(response.status).toBe(202);
  return ((await response.json()) as { run_id: string }).run_id;
}
const runCount = async () =>
  ((await (await world.manage('/pipeline-runs')).json()) as { items: unknown[] }).items.length;

/** Plays the first step, and says what its command was given. */
async function playJob(exitCode = 0): Promise<unknown> {
  const run = await agent.receive('run', ({ endpoint }) => endpoint === 'job');
  agent.end(run.execution_id, 0, { kind: 'exited', exit_code: exitCode, duration_ms: 1 });
  return run.args;
}

test('steps and conditions get the kind of event, the delivery, and a list', async () => {
  const runId = await runOf(await send(fromGitHub(SECRET, PUSH, { event: 'push', delivery: 'd-1' })));
  expect(await playJob(1)).toEqual({
    event: 'a push',
    delivery: 'd-1',
    commit: 'c1',
    all: '[{"id":"c0"},{"id":"c1"}]',
  });
  await eventsOf(await world.manage(`/pipeline-runs/${runId}/stream`));
  expect(await showRun(world, runId)).toMatchObject({
    status: 'failed',
    input: { commits: [{ id: 'c0' }, { id: 'c1' }] },
    webhook: { event: 'push', delivery: 'd-1' },
  });
  const again = await runOf(await world.manage(`/pipeline-runs/${runId}/rerun`, postOf({})));
  expect(await playJob()).toMatchObject({ event: 'a push', delivery: 'd-1' });
  const pushed = await agent.receive('run', ({ endpoint }) => endpoint === 'pushed');
  agent.end(pushed.execution_id, 0);
  await eventsOf(await world.manage(`/pipeline-runs/${again}/stream`));
  expect(await showRun(world, again)).toMatchObject({ status: 'succeeded', webhook: { event: 'push' } });
});

test('another event takes the other branch; a header that is not there has no value', async () => {
  const init = fromGitHub(SECRET, JSON.stringify({ commits: [] }), { event: 'release' });
  const { 'x-github-delivery': _, ...headers } = init.headers as Record<string, string>;
  const runId = await runOf(await send({ ...init, headers }));
  expect(await playJob()).toEqual({ event: 'a release', all: '[]' });
  await eventsOf(await world.manage(`/pipeline-runs/${runId}/stream`));
  const { nodes } = await showRun(world, runId);
  expect(nodes.find(({ node }) => node === 'pushed')?.status).toBe('skipped');
});

test('a value of another type than a list is refused', async () => {
  const refused = await send(fromGitHub(SECRET, JSON.stringify({ commits: {} })));
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('a list expected')]);
});

test('the ping of GitHub is 202 without a run, though required fields are missing, and only if it is signed', async () => {
  const before = await runCount();
  const ping = fromGitHub(SECRET, JSON.stringify({ zen: 'Keep it logically awesome.' }), { event: 'ping' });
  const answer = await send(ping);
  expect([answer.status, await answer.json()]).toEqual([
    202,
    { status: 'ignored', message: 'a ping of GitHub starts no run' },
  ]);
  const unsigned = await send(withHeaders(ping, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }));
  expect(unsigned.status).toBe(401);
  expect(await runCount()).toBe(before);
});

test('an unknown part of the trigger is a mistake of the pipeline', async () => {
  const made = await world.manage(
    '/pipelines',
    postOf({
      slug: 'typo',
      trigger: { type: 'webhook' },
      nodes: [{ id: 'job', endpoint: 'job', args: { event: '{trigger.evnt}' } }],
    }),
  );
  expect([made.status, await made.text()]).toEqual([
    400,
    expect.stringContaining('event or delivery expected'),
  ]);
});
