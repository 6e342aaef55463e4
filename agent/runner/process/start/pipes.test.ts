import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { shell } from '../fixtures/launch.ts';
import { openFiles } from '../fixtures/processes.ts';
import { readAtOnce } from './pipes.ts';
import { type StartedCommand, startCommand } from './start-command.ts';

async function exited(text: string): Promise<StartedCommand> {
  const started = startCommand(shell(text));
  if (started.kind !== 'started') throw new Error(started.message);
  await started.process.exited;
  return started;
}

function collect() {
  const chunks: Uint8Array[] = [];
  return {
    take: (chunk: Uint8Array) => void chunks.push(chunk) as undefined,
    text: () => Buffer.concat(chunks).toString(),
  };
}

test('reads everything that a command left in its pipe, and closes it', async () => {
  const before = openFiles();
  for (const [text, printed] of [
    ['echo out; echo err >&2', 'out\nerr\n'],
    ['true', ''],
    ['head -c 60000 /dev/zero | tr "\\0" x', 'x'.repeat(60_000)],
  ] as const) {
    const { outputs } = await exited(text);
    const { take, text: read } = collect();
    expect(await readAtOnce(outputs.stdout, take)).toBe(true);
    expect(read()).toBe(printed);
    outputs.stdout.close();
    outputs.stdout.close();
  }
  // Bun closes its exit watchers later.
  while (openFiles() > before) await setImmediate();
});

test('reports if another process holds the pipe, and a reader continues from there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-read-'));
  const go = join(folder, 'go');
  const { outputs } = await exited(`(until [ -e ${go} ]; do sleep 0.01; done; echo late) & echo now`);
  const { take, text } = collect();
  expect(await readAtOnce(outputs.stdout, take)).toBe(false);
  expect(text()).toBe('now\n');
  await Bun.write(go, '');
  const { value } = await outputs.stdout.reader().read();
  expect(Buffer.from(value ?? []).toString()).toBe('late\n');
  outputs.stdout.close();
  await rm(folder, { recursive: true });
});

test('waits for a command that ends soon, and no longer than it may', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-read-'));
  const go = join(folder, 'go');
  const soon = startCommand(shell(`until [ -e ${go} ]; do sleep 0.01; done; echo late`));
  const silent = startCommand(shell('exec sleep 60'));
  if (soon.kind !== 'started' || silent.kind !== 'started') throw new Error('not started');
  const { take, text } = collect();
  expect(await readAtOnce(soon.outputs.stdout, take)).toBe(false);
  await Bun.write(go, '');
  expect(await readAtOnce(soon.outputs.stdout, take, 30_000)).toBe(true);
  expect(text()).toBe('late\n');
  expect(await readAtOnce(silent.outputs.stdout, take, 2)).toBe(false);
  globalThis.process.kill(-silent.process.pid, 'SIGKILL');
  for (const { outputs } of [soon, silent]) outputs.stdout.close();
  await rm(folder, { recursive: true });
});

test('stops although a grandchild never stops writing', async () => {
  const { outputs, process } = await exited('yes & echo $!');
  let bytes = 0;
  const all = await readAtOnce(outputs.stdout, (chunk) => {
    bytes += chunk.length;
    // Leaves room for more, so that the pipe is never empty.
    return bytes < 10_000_000 ? Bun.sleep(1) : Promise.reject(new Error('it went on'));
  });
  expect(all).toBe(false);
  globalThis.process.kill(-process.pid, 'SIGKILL');
  outputs.stdout.close();
});
