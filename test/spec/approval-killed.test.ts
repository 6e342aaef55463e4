// A hub that dies without a word between a decision and what follows from it: decision 24, states and takeover. Real
// processes on both sides.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const ROUNDS = process.env.SVC_TEST_LONG === '1' ? 40 : 5;

let folder: TemporaryFolder;
let hub: HubProgram;
let agent: ReturnType<typeof startSvc> | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
  const job = { name: 'job', command: 'echo {{n}} >> ran', args: [{ name: 'n' }], approval_required: true };
  const load = { name: 'load', command: 'sha256sum', stdin: 'body', approval_required: true } as const;
  const image = { name: 'image', type: 'file', required: true } as const;
  const size = { name: 'size', command: 'sha256sum < {{image}}', args: [image], approval_required: true };
  await Bun.write(join(folder.path, 'svc.yaml'), configText([job, load, size]));
  hub = await HubProgram.make(folder.path, { SVC_ARTIFACTS_DIR: join(folder.path, 'artifacts') });
  await hub.start();
  await startAgent();
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  await stopAgent();
  await folder[Symbol.asyncDispose]();
});

async function startAgent(): Promise<void> {
  const env = { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url };
  const args = ['agent', '--json', '--state-dir', join(folder.path, 'state')];
  agent = startSvc(args, { cwd: folder.path, env });
  await new Lines(agent.stdout).find(/"event":"connected"/);
}

async function stopAgent(): Promise<void> {
  agent?.kill('SIGKILL');
  await agent?.exited;
}

async function callForApproval(n: number) {
  return await pending(`job?n=${n}`);
}

async function pending(call: string, init: RequestInit = {}) {
  const response = await hub.ask(`/v1/local/${call}`, { method: 'POST', ...init });
  const body = (await response.json()) as { approval_id: string; approve_url: string };
  expect(response.status).toBe(202);
  return {
    id: body.approval_id,
    page: new URL(body.approve_url).pathname,
    executionId: response.headers.get('x-execution-id') ?? '',
  };
}

/** Opens the page; what comes back sends its form, as a browser does. Undefined: the hub died before it had answered. */
async function opened(page: string): Promise<(decision?: string) => Promise<number | undefined>> {
  const text = await (await hub.ask(page)).text();
  const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return (decision = 'approve') =>
    hub
      .ask(page, {
        method: 'POST',
        body: new URLSearchParams({ nonce, decision }),
        headers: { origin: new URL(page, hub.url).origin },
      })
      .then(
        ({ status }) => status,
        () => undefined,
      );
}

async function read(path: string) {
  return (await (await hub.ask(path)).json()) as Record<string, unknown>;
}

/** The command has appended a line for each time that it ran. */
function runsOf(n: number): number {
  const file = join(folder.path, 'ran');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line === String(n)).length;
}

async function ended(executionId: string): Promise<unknown> {
  await (await hub.ask(`/executions/${executionId}/stream`)).text();
  return (await read(`/executions/${executionId}`)).status;
}

test('a call that was approved without an agent runs once, when hub and agent are back', async () => {
  await stopAgent();
  const { page, id, executionId } = await callForApproval(1);
  const approve = await opened(page);
  expect(await approve()).toBe(200);
  await hub.kill();
  await hub.start();
  expect(await read(`/approvals/${id}`)).toMatchObject({ status: 'approved', execution_status: 'queued' });
  await startAgent();
  expect([await ended(executionId), runsOf(1)]).toEqual(['succeeded', 1]);
});

test(`a hub that is killed at any moment around a decision, ${ROUNDS} times: each call runs once, or waits still`, async () => {
  for (let n = 1; n <= ROUNDS; n += 1) {
    const { page, id, executionId } = await callForApproval(n);
    const approve = await opened(page);
    const decided = approve();
    // Somewhere between the first byte of the request and some time after the answer.
    await Bun.sleep((n % 10) * 3);
    await hub.kill();
    const status = await decided;
    await hub.start();
    const { status: stored } = await read(`/approvals/${id}`);
    // A caller that got the approval can rely on it.
    if (status === 200) expect(stored).toBe('approved');
    if (stored === 'pending_approval') {
      expect(runsOf(n)).toBe(0);
      await approve();
    }
    expect([n, await ended(executionId), runsOf(n)]).toEqual([n, 'succeeded', 1]);
  }
}, 600_000);

describe('a body that waits for approval', () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 7, 'a body that waits');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const form = () => {
    const data = new FormData();
    data.append('image', new Blob([bytes]), 'photo.png');
    return data;
  };
  const spooled = (executionId: string) => join(folder.path, 'artifacts', 'spool', executionId, '1');
  const left = () => readdirSync(join(folder.path, 'artifacts', 'spool'));

  test.each([
    ['load', () => bytes, { argument: 'stdin' }],
    ['size', form, { argument: 'image', name: 'photo.png' }],
  ] as const)('survives a killed hub, and the command gets exactly it: %s', async (name, body, shown) => {
    const { id, page, executionId } = await pending(name, { body: body() });
    const file = { ...shown, bytes: bytes.length, type: 'text/plain', sha256 };
    expect((await read(`/approvals/${id}`)).files).toEqual([file]);
    expect(await (await hub.ask(page)).text()).toContain(sha256);
    expect(readFileSync(spooled(executionId)).includes('waits')).toBe(false);
    await hub.kill();
    await hub.start();
    expect(await (await opened(page))()).toBe(200);
    expect(await ended(executionId)).toBe('succeeded');
    const { output, files } = await read(`/executions/${executionId}`);
    expect([String(output).slice(0, 64), files]).toEqual([sha256, [file]]);
    await until(() => left().length === 0);
  });

  test.each(['load', 'size'])('with a changed byte is refused: %s', async (name) => {
    const { page, executionId } = await pending(name, { body: name === 'load' ? bytes : form() });
    const stored = readFileSync(spooled(executionId));
    stored.writeUInt8(stored.readUInt8(2_000_000) ^ 1, 2_000_000);
    writeFileSync(spooled(executionId), stored);
    expect(await (await opened(page))()).toBe(200);
    expect(await ended(executionId)).toBe('cancelled');
    const { error, output } = await read(`/executions/${executionId}`);
    expect(error).toBe(
      'the input was cut off: the body that was kept for the approval was damaged, or is gone',
    );
    expect(output ?? '').toBe('');
    await until(() => left().length === 0);
  });

  test('goes when its call is denied', async () => {
    const { page } = await pending('load', { body: bytes });
    expect(left().length).toBe(1);
    expect(await (await opened(page))('deny')).toBe(200);
    await until(() => left().length === 0);
  });
});
