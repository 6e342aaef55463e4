// `svc admin rotate-keys`: another master key under a hub that runs (decision 54, configuration of a hub).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockedRow } from '../held-row.ts';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc, startSvc } from '../program.ts';

const ENDPOINTS = [
  { name: 'all', command: 'echo $svc:S1 $svc:S2 $svc:S3' },
  { name: 'pinned', command: 'true', args: [{ name: 'pin', secret: true }] },
];

let world: HubWorld;
afterEach(() => world[Symbol.asyncDispose]());

const put = (name: string, value: string) =>
  world.manage(`/secrets/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });
const rotate = async (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
  const ended = await runSvc(['admin', 'rotate-keys', '--json', ...args], {
    cwd: world.dataDir,
    env: { SVC_DATA_DIR: world.dataDir, ...env },
  });
  return { exitCode: ended.exitCode, ...(ended.stdout ? (JSON.parse(ended.stdout) as object) : {}) };
};
const keyIds = async () => {
  const { items } = (await (await world.manage('/secrets?limit=100')).json()) as {
    items: { key_id: string }[];
  };
  return [...new Set(items.map(({ key_id }) => key_id))];
};
const keyLines = () => readFileSync(join(world.dataDir, 'master.key'), 'utf8').trim().split('\n');

/** The environment that a command with three of the secrets gets now. */
async function sent(): Promise<Readonly<Record<string, string>>> {
  const agent = await world.agent({ endpoints: ENDPOINTS });
  void world.call('all').catch(() => undefined);
  const { secrets } = await agent.receive('run', ({ endpoint }) => endpoint === 'all');
  await agent.vanish();
  return secrets;
}

const VALUES = { S1: 'one', S2: 'two', S3: 'three' };

describe('with the key in the data folder', () => {
  beforeEach(async () => {
    world = await hubWorld();
    for (const [name, value] of Object.entries(VALUES)) await put(name, value);
  });

  test('everything that is sealed has the new key, and the hub that runs reads and writes with it', async () => {
    const agent = await world.agent({ endpoints: ENDPOINTS, answersPings: false });
    const waiting = await world.call('pinned?pin=1234', { headers: { prefer: 'respond-async' } });
    expect(waiting.status).toBe(202);
    const [old = ''] = keyLines();
    const before = await keyIds();
    expect(await rotate()).toMatchObject({ exitCode: 0, did: 'changed_key', rewrapped: 4, older_keys: 1 });
    expect(keyLines()).toEqual([expect.not.stringMatching(old), old]);
    const after = await keyIds();
    expect([after.length, before.includes(after[0] ?? '')]).toEqual([1, false]);
    await put('S4', 'four');
    expect(await keyIds()).toEqual(after);
    await agent.vanish();
    const back = await world.agent({ endpoints: ENDPOINTS, answersPings: false });
    expect(await back.receive('run')).toMatchObject({ args: { pin: '1234' } });
    await back.vanish();
    expect(await sent()).toEqual(VALUES);
  });

  test('a link that was sent before still signs in', async () => {
    await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'operator@localhost' }),
    });
    const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
    const link = /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
    await rotate();
    expect((await fetch(link)).status).toBe(200);
  });

  test('the old key is removed on request, and not before', async () => {
    await rotate();
    expect(keyLines()).toHaveLength(2);
    expect(await rotate(['--drop-old'])).toMatchObject({ exitCode: 0, did: 'dropped_old', older_keys: 0 });
    expect(keyLines()).toHaveLength(1);
    expect(await sent()).toEqual(VALUES);
    await world.restart();
    expect(await sent()).toEqual(VALUES);
  });

  test('killed in the middle, it continues where it was and makes no further key', async () => {
    for (let n = 0; n < 400; n += 1) await put(`MORE_${n}`, `more ${n}`);
    const [old = ''] = keyLines();
    const [oldId = ''] = await keyIds();
    using database = openHubFile(world.dataDir);
    const left = database.query('select count(*) as count from secrets where sealed like ?');
    const countLeft = () => (left.get(`v1.${oldId}.%`) as { count: number }).count;
    const letGo = lockedRow(database, "before update on secrets when old.name = 'MORE_99'");
    const child = startSvc(['admin', 'rotate-keys'], {
      cwd: world.dataDir,
      env: { SVC_DATA_DIR: world.dataDir },
    });
    while (countLeft() === 403) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await child.exited;
    letGo();
    const rest = countLeft();
    expect([rest > 0, keyLines().length]).toEqual([true, 2]);
    expect(await sent()).toEqual(VALUES);
    expect(await rotate()).toMatchObject({ exitCode: 0, did: 'went_on', rewrapped: rest, older_keys: 1 });
    expect([countLeft(), keyLines()[1]]).toEqual([0, old]);
    expect(await sent()).toEqual(VALUES);
  });

  test('a value that no key opens is named and left unchanged, and no key is removed then', async () => {
    await Bun.write(join(world.dataDir, 'master.key'), `${'5'.repeat(64)}\n`);
    expect(await rotate()).toMatchObject({
      exitCode: 1,
      did: 'changed_key',
      unreadable: [{ id: 'S1' }, { id: 'S2' }, { id: 'S3' }],
    });
    expect(await rotate(['--drop-old'])).toMatchObject({ exitCode: 1, older_keys: 1 });
    expect(keyLines()).toHaveLength(2);
  });

  test('a key of one’s own is taken from a file that holds one', async () => {
    const file = join(world.dataDir, 'mine');
    await Bun.write(file, `${'ab'.repeat(32)}\n`);
    expect(await rotate(['--new-key-file', file])).toMatchObject({ exitCode: 0 });
    expect(keyLines()[0]).toBe('ab'.repeat(32));
    await Bun.write(file, 'no key');
    expect(await rotate(['--new-key-file', file])).toMatchObject({ exitCode: 2 });
  });
});

test('with the key in the environment each hub opens with all of its keys, and one run takes everything over', async () => {
  const env: Record<string, string> = { SVC_MASTER_KEY: 'a'.repeat(64) };
  world = await hubWorld({ env });
  for (const [name, value] of Object.entries(VALUES)) await put(name, value);
  const keys = { SVC_MASTER_KEY: 'b'.repeat(64), SVC_MASTER_KEY_OLD: 'a'.repeat(64) };
  Object.assign(env, keys);
  await world.restart();
  expect(await sent()).toEqual(VALUES);
  expect(await rotate(['--drop-old'], keys)).toMatchObject({ exitCode: 2 });
  expect(await rotate([], keys)).toMatchObject({ exitCode: 0, did: 'followed_environment', rewrapped: 3 });
  Object.assign(env, { SVC_MASTER_KEY_OLD: '' });
  await world.restart();
  expect(await sent()).toEqual(VALUES);
});
