// The values of secret arguments are kept sealed, and only until the agent has them (decision 9, values of a call).
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';

const PIN = 'horse-battery-staple';
const ENDPOINTS = [
  {
    name: 'pinned',
    command: 'true',
    args: [
      { name: 'pin', secret: true },
      { name: 'who', default: 'me' },
    ],
  },
];

let world: HubWorld;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld();
  agent = await connect({ answersPings: false });
});
afterEach(() => world[Symbol.asyncDispose]());

const connect = (options: Partial<Parameters<HubWorld['agent']>[0]> = {}) =>
  world.agent({ endpoints: ENDPOINTS, ...options });

async function started(): Promise<string> {
  const response = await world.call('pinned', {
    method: 'POST',
    headers: { prefer: 'respond-async', 'content-type': 'application/json' },
    body: JSON.stringify({ pin: PIN, who: 'you' }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { execution_id: string }).execution_id;
}

async function execution(id: string) {
  return (await (await world.manage(`/executions/${id}`)).json()) as Record<string, unknown>;
}

function isKept(id: string): boolean {
  using database = openHubFile(world.dataDir, { readonly: true });
  const row = database.query('select sealed_args from executions where id = ?').get(id);
  return (row as { sealed_args: string | null }).sealed_args !== null;
}

test('an order that never arrived is sent again with the real values, though the hub was restarted', async () => {
  const id = await started();
  expect(isKept(id)).toBe(true);
  await world.restart();
  const back = await connect();
  expect(await back.receive('run')).toMatchObject({ execution_id: id, args: { pin: PIN, who: 'you' } });
  back.end(id, 0);
  await back.receive('ended_ack');
  expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  expect(isKept(id)).toBe(false);
});

test('and when only the connection broke', async () => {
  const id = await started();
  await agent.vanish();
  const back = await connect();
  expect(await back.receive('run')).toMatchObject({ execution_id: id, args: { pin: PIN, who: 'you' } });
});

test('they are erased as soon as the agent has answered, and then nothing is sent twice', async () => {
  await agent.vanish();
  const answering = await connect();
  const id = await started();
  await answering.receive('run');
  await until(() => !isKept(id));
  expect(await execution(id)).toMatchObject({ status: 'running' });
  await world.restart();
  // An agent that says that it never had what it has answered for is not believed.
  const back = await connect();
  await until(async () => (await execution(id)).status !== 'running');
  expect([await execution(id), back.unread('run')]).toEqual([
    expect.objectContaining({ status: 'rejected', reason: 'hub_restart' }),
    0,
  ]);
});

test('they are erased when the agent is back and has it in flight', async () => {
  const id = await started();
  await agent.vanish();
  await connect({ answersPings: false, inFlight: [{ execution_id: id, last_seq: 0, ended: false }] });
  await until(() => !isKept(id));
});

test('they are erased with the first output', async () => {
  const id = await started();
  agent.output(id, 1, 'x\n');
  await agent.receive('ack', ({ seq }) => seq === 1);
  expect(isKept(id)).toBe(false);
});

test('with another master key the execution is refused, and the agent is as welcome as ever', async () => {
  const id = await started();
  await Bun.write(join(world.dataDir, 'master.key'), `${'5'.repeat(64)}\n`);
  await world.restart();
  const back = await connect();
  await until(async () => (await execution(id)).status !== 'running');
  expect([await execution(id), back.unread('run')]).toEqual([
    expect.objectContaining({ status: 'rejected' }),
    0,
  ]);
});

test('they are in no file of the hub, no answer and no line of its log', async () => {
  const id = await started();
  await agent.receive('run');
  const answers = await Promise.all(
    ['/executions', `/executions/${id}`].map(async (path) => (await world.manage(path)).text()),
  );
  const files = readdirSync(world.dataDir).map((name) => readFileSync(join(world.dataDir, name)));
  const base64 = Buffer.from(PIN).toString('base64').slice(0, -2);
  for (const text of [...answers, ...files, world.logLines.join('')])
    for (const spelling of [PIN, base64]) expect(text.includes(spelling)).toBe(false);
  // The search would find it: the other argument is there.
  expect(files.some((bytes) => bytes.includes('"who":"you"'))).toBe(true);
});

test("the stored fingerprint of an Idempotency-Key's request cannot be used to guess a short secret", async () => {
  const call = (key: string) =>
    world.call('pinned?pin=0000', { headers: { prefer: 'respond-async', 'idempotency-key': key } });
  for (const key of ['one', 'two']) expect((await call(key)).status).toBe(202);
  using database = openHubFile(world.dataDir, { readonly: true });
  const rows = database.query('select request_hash from idempotency').all() as { request_hash: string }[];
  // The same request twice: a caller without a key cannot even see that.
  expect(new Set(rows.map(({ request_hash: kept }) => kept)).size).toBe(2);
});
