// A body that waits for approval in an object store, with a real S3 server and real processes: decision 83, bodies that wait
// for approval.
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { untilExists } from '../files.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { type ObjectStore, objectStore } from '../object-store.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;
/** More than one object, and more than what is on its way to an agent at once. */
const BYTES = Buffer.alloc(10 * MIB + 7, 'a body that waits');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
/** Writes nothing before the end, and waits in the middle. */
const LOAD =
  '{ dd bs=65536 count=8 iflag=fullblock status=none; touch half; while [ ! -e go ]; do sleep 0.02; done; cat; } | sha256sum';

let bucket: ObjectStore;
let folder: TemporaryFolder;
let hub: HubProgram;
let agent: ReturnType<typeof startSvc>;
beforeAll(async () => {
  bucket = await objectStore();
  folder = await temporaryFolder();
  const load = { name: 'load', command: LOAD, stdin: 'body', approval_required: true } as const;
  const image = { name: 'image', type: 'file', required: true } as const;
  const size = { name: 'size', command: 'sha256sum < {{image}}', args: [image], approval_required: true };
  await Bun.write(join(folder.path, 'svc.yaml'), configText([load, size]));
  hub = await HubProgram.make(folder.path, bucket.environment);
  await hub.start();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});
beforeEach(async () => {
  for (const name of ['half', 'go']) rmSync(join(folder.path, name), { force: true });
  agent = startSvc(['agent', '--json', '--state-dir', join(folder.path, 'state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url },
  });
  await new Lines(agent.stdout).find(/"event":"connected"/);
});
afterEach(async () => {
  agent.kill('SIGKILL');
  await agent.exited;
});

const path = (name: string) => join(folder.path, name);

async function pending(
  slug: string,
  body: FormData | Buffer<ArrayBuffer>,
): Promise<{ id: string; page: string }> {
  const response = await hub.ask(`/v1/local/${slug}`, { method: 'POST', body });
  const { approve_url: url } = (await response.json()) as { approve_url: string };
  expect(response.status).toBe(202);
  return { id: response.headers.get('x-execution-id') ?? '', page: new URL(url).pathname };
}

async function approve(page: string): Promise<void> {
  const text = await (await hub.ask(page)).text();
  const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const body = new URLSearchParams({ nonce, decision: 'approve' });
  const headers = { origin: new URL(page, hub.url).origin };
  expect((await hub.ask(page, { method: 'POST', body, headers })).status).toBe(200);
}

async function ended(id: string): Promise<Record<string, unknown>> {
  await (await hub.ask(`/executions/${id}/stream`)).text();
  return (await (await hub.ask(`/executions/${id}`)).json()) as Record<string, unknown>;
}

const isEmpty = async () => (await bucket.keys()).length === 0;

test('a body and a form wait there, encrypted, and their commands get exactly these bytes', async () => {
  writeFileSync(path('go'), '');
  const form = new FormData();
  form.append('image', new Blob([BYTES]), 'photo.png');
  for (const [slug, body] of [
    ['load', BYTES],
    ['size', form],
  ] as const) {
    const { id, page } = await pending(slug, body);
    const keys = await bucket.keys();
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.every((key) => key.startsWith(`spool/${id}/`))).toBe(true);
    await approve(page);
    const { status, output } = await ended(id);
    expect([slug, status, String(output).slice(0, 64)]).toEqual([slug, 'succeeded', SHA256]);
    await until(isEmpty);
  }
});

test('a hub that is killed while the command reads sends the rest after its start', async () => {
  const { id, page } = await pending('load', BYTES);
  await approve(page);
  await untilExists(path('half'));
  await hub.kill();
  await hub.start();
  writeFileSync(path('go'), '');
  const { status, output } = await ended(id);
  expect([status, String(output).slice(0, 64)]).toEqual(['succeeded', SHA256]);
  await until(isEmpty);
});

test('an agent that is killed while the command reads leaves a lost execution, a command that never saw the end, and no body', async () => {
  const { id, page } = await pending('load', BYTES);
  await approve(page);
  await untilExists(path('half'));
  agent.kill('SIGKILL');
  await agent.exited;
  agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url },
  });
  const { status, output } = await ended(id);
  expect([status, output ?? '', existsSync(path('go'))]).toEqual(['lost', '', false]);
  await until(isEmpty);
});
