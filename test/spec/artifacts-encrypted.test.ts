// Files in an object store that encrypts each with a key of the hub, with a real hub, agent and S3 server: decision 109, encryption in
// object stores. What the store refuses without a key would fail here.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type EncryptedObjectStore, encryptedObjectStore } from '../encrypted-object-store.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { postOf } from '../pipelines.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

const BUILD =
  'cd "$SVC_OUTPUT_DIR" && printf hello > small && head -c 9000000 /dev/urandom > big && sha256sum big';
const BODY = Buffer.alloc(9_000_000, 'a body that waits');
const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

let bucket: EncryptedObjectStore;
let world: HubWorld;
let agent: RealAgent;
beforeAll(async () => {
  bucket = await encryptedObjectStore();
  world = await hubWorld({ env: bucket.environment });
  agent = await realAgent(world, [
    { name: 'build', command: BUILD, artifacts: ['**'] },
    { name: 'load', command: 'sha256sum', stdin: 'body', approval_required: true },
  ]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});

async function build(): Promise<{ id: string; sha256: string }> {
  const called = await world.call('build');
  const { output, execution_id: id } = (await called.json()) as { output: string; execution_id: string };
  return { id, sha256: output.slice(0, 64) };
}

async function download(id: string, name: string, headers: Record<string, string> = {}): Promise<Uint8Array> {
  const response = await world.manage(`/executions/${id}/${name}`, { headers });
  expect(response.ok).toBe(true);
  return await response.bytes();
}

/** The ids of the keys in the names of the objects. */
const keyIds = async () => [...new Set((await bucket.keys()).map((name) => name.split('.')[1]))];

test('files go there from the agent, and come back from the hub, with a key for each piece', async () => {
  const { id, sha256 } = await build();
  expect(await (await world.manage(`/executions/${id}/artifacts`)).json()).toMatchObject({
    items: [
      { name: 'big', state: 'stored', size: 9_000_000, sha256 },
      { name: 'small', state: 'stored', size: 5 },
    ],
  });
  expect(await bucket.keys()).toEqual([
    expect.stringMatching(new RegExp(`^${id}/1-kept-0\\.[0-9a-f]{16}$`)),
    expect.stringMatching(new RegExp(`^${id}/1-kept-1\\.[0-9a-f]{16}$`)),
    expect.stringMatching(new RegExp(`^${id}/2-kept-0\\.[0-9a-f]{16}$`)),
  ]);
  expect(sha256Of(await download(id, 'artifacts/big'))).toBe(sha256);
  expect((await download(id, 'artifacts/big', { range: 'bytes=8388600-8388615' })).length).toBe(16);
  expect((await download(id, 'artifacts.zip')).length).toBeGreaterThan(9_000_005);
  expect(await bucket.refused()).toEqual([]);
});

test('a body waits there for its approval, and the command reads exactly its bytes', async () => {
  const called = await world.call('load', { method: 'POST', body: BODY });
  const { approval_id: approval, execution_id: id } = (await called.json()) as Record<string, string>;
  expect([called.status, (await bucket.keys()).filter((name) => name.startsWith('spool/')).length]).toEqual([
    202, 2,
  ]);
  const approved = await world.manage(`/approvals/${approval}/decide`, postOf({ decision: 'approve' }));
  expect(approved.status).toBe(200);
  const shown = async () =>
    (await (await world.manage(`/executions/${id}`)).json()) as { status: string; output?: string };
  await until(async () => !/pending|queued|running/.test((await shown()).status));
  expect(await shown()).toMatchObject({ status: 'succeeded', output: `${sha256Of(BODY)}  -\n` });
  expect(await bucket.refused()).toEqual([]);
});

test('another master key loses no file: the command renews the keys in the store, and needs to know it', async () => {
  const { id, sha256 } = await build();
  const rotate = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const ended = await runSvc(['admin', 'rotate-keys', '--json', ...args], {
      cwd: world.dataDir,
      env: { SVC_DATA_DIR: world.dataDir, ...env },
    });
    const { exitCode, stdout, stderr } = ended;
    return { exitCode, stderr, ...(stdout === '' ? {} : (JSON.parse(stdout) as object)) };
  };
  const before = await keyIds();
  expect(await rotate([], {})).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('run this with the SVC_S3_… settings of the hub'),
  });
  const count = (await bucket.keys()).length;
  expect(await rotate([], bucket.environment)).toMatchObject({
    ...{ exitCode: 0, did: 'changed_key', objects: count, older_keys: 1, unreadable_objects: [] },
  });
  expect((await keyIds()).filter((one) => before.includes(one))).toEqual([]);
  expect(sha256Of(await download(id, 'artifacts/big'))).toBe(sha256);
  expect(await rotate(['--drop-old'], bucket.environment)).toMatchObject({
    ...{ exitCode: 0, did: 'dropped_old', objects: 0, older_keys: 0 },
  });
  await agent.through(() => world.restart());
  expect(sha256Of(await download(id, 'artifacts/big'))).toBe(sha256);
  const after = await build();
  expect(sha256Of(await download(after.id, 'artifacts/big'))).toBe(after.sha256);
  expect(await bucket.refused()).toEqual([]);
});
