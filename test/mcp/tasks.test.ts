// Tasks: a client that can poll gets a handle instead of an open connection; the record of the execution is the task.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Approvals } from '../approvals.ts';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { Person } from '../people.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { textOf } from './agent-client.ts';
import { call, type RawAgent, rpc } from './raw-agent.ts';

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;
let approvals: Approvals;
let lin: Person;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  folder = await temporaryFolder();
  agent = await realAgent(world, [
    { name: 'quick', command: 'echo quick' },
    { name: 'build', command: 'echo built; exit 2', timeout: 600 },
    { name: 'wait', command: `touch ${join(folder.path, 'begun')}; sleep 600`, timeout: 600 },
    { name: 'longer', command: `touch ${join(folder.path, 'longer')}; sleep 30` },
    { name: 'guarded', command: 'echo approved', approval_required: true },
  ]);
  approvals = new Approvals(world);
  lin = await approvals.member('lin@example.com');
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const polling = (key = world.start.apiKey): RawAgent => ({
  url: `${world.hub.hubUrl}/mcp`,
  key,
  capabilities: TASKS,
});

async function untilOver(taskId: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { result } = await rpc(polling(), 'tasks/get', { taskId });
    if (result?.status !== 'working') return result ?? {};
  }
}

test('a command that may run for long is a task; its result is that of the record', async () => {
  const { result } = await call(polling(), 'build', {});
  expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1000 });
  expect(result?.content ?? []).toEqual([]);
  const over = await untilOver(String(result?.taskId));
  expect(over).toMatchObject({ resultType: 'complete', status: 'completed', taskId: result?.taskId });
  expect(over.result).toMatchObject({ isError: true });
  expect(textOf(over.result)).toContain('Exit code 2');
  expect(textOf(over.result)).toContain('built');
});

test('a short command, and a client that cannot poll, get the result at once', async () => {
  expect(textOf((await call(polling(), 'quick', {})).result)).toContain('quick');
  const { result } = await call({ ...polling(), capabilities: {} }, 'build', {});
  expect(result?.resultType).toBe('complete');
  expect(textOf(result)).toContain('Exit code 2');
});

test('a call that waits for approval works, and does not ask its caller for input', async () => {
  const { result } = await call(polling(), 'guarded', {});
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  expect(result?.statusMessage).toContain('waits for approval by a signed-in member');
  const { items } = (await (await world.manage('/approvals?status=pending_approval')).json()) as {
    items: { approval_id: string }[];
  };
  const taskId = String(result?.taskId);
  const update = await rpc(polling(), 'tasks/update', { taskId, inputResponses: { approve: true } });
  expect(update.result).toMatchObject({ resultType: 'complete' });
  expect((await rpc(polling(), 'tasks/get', { taskId })).result?.status).toBe('working');
  await approvals.decideAs(lin, String(items[0]?.approval_id), 'approve');
  const over = await untilOver(taskId);
  expect(textOf(over.result)).toContain('approved');
});

test('is cancelled by its agent, survives the hub, and does not exist for others', async () => {
  const { result } = await call(polling(), 'wait', {});
  const taskId = String(result?.taskId);
  await untilExists(join(folder.path, 'begun'));
  await agent.through(() => world.restart());
  expect((await rpc(polling(), 'tasks/get', { taskId })).result?.status).toBe('working');
  const stranger = polling(world.start.accessToken);
  expect((await rpc(stranger, 'tasks/get', { taskId })).error?.code).toBe(-32602);
  expect((await rpc(stranger, 'tasks/cancel', { taskId })).error?.code).toBe(-32602);
  expect((await rpc(polling(), 'tasks/get', { taskId: 'x' })).error?.code).toBe(-32602);
  const undeclared = { ...polling(), capabilities: {} };
  expect((await rpc(undeclared, 'tasks/get', { taskId })).error?.code).toBe(-32021);
  expect((await rpc(polling(), 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  expect(await untilOver(taskId)).toMatchObject({ status: 'cancelled' });
});

// The last one: it moves the clock.
test('a call that turns out to take long becomes a task after 20 seconds', async () => {
  let answer: Awaited<ReturnType<typeof call>> | undefined;
  const calling = call(polling(), 'longer', {}).then((got) => {
    answer = got;
  });
  await untilExists(join(folder.path, 'longer'));
  world.clock.move(19_000);
  expect(answer).toBeUndefined();
  world.clock.move(1_000);
  await calling;
  expect(answer?.result).toMatchObject({ resultType: 'task', status: 'working' });
});
