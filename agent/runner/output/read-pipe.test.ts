import { afterEach, expect, test } from 'bun:test';
import type { Subprocess } from 'bun';
import { readPipe } from './read-pipe.ts';

/** A promise for a command that still runs. */
const RUNNING = new Promise<never>(() => {});
const A_MINUTE_MS = 60_000;

const children: Subprocess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The reader only depends on the writers of the pipe; `over` says that the command itself has ended. */
function writer(text: string) {
  const child = Bun.spawn(['/bin/sh', '-c', text], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  children.push(child);
  return { child, reader: child.stdout.getReader() };
}

test('reads to the end, and waits while the sink takes a chunk', async () => {
  const { reader } = writer('head -c 1000000 /dev/zero');
  let bytes = 0;
  let taking = false;
  await readPipe(reader, RUNNING, 0, async (chunk) => {
    expect(taking).toBe(false);
    taking = true;
    bytes += chunk.length;
    await Bun.sleep(0);
    taking = false;
  });
  expect(bytes).toBe(1_000_000);
});

test('a pipe that stays open is abandoned some time after the end of the command', async () => {
  const { child, reader } = writer(
    'trap "exit 8" PIPE; echo held; while :; do echo more 2>/dev/null; sleep 0.05; done',
  );
  const { promise: over, resolve: endCommand } = Promise.withResolvers<void>();
  let text = '';
  await readPipe(reader, over, 50, (chunk) => {
    text += new TextDecoder().decode(chunk);
    endCommand();
    return undefined;
  });
  expect(text).toStartWith('held\n');
  // The pipe has no reader now, and the writer gets an error.
  expect(await child.exited).not.toBe(0);
});

test('output before the deadline is read', async () => {
  const { reader } = writer('sleep 0.2; echo late');
  let text = '';
  await readPipe(reader, Promise.resolve(), A_MINUTE_MS, (chunk) => {
    text += new TextDecoder().decode(chunk);
    return undefined;
  });
  expect(text).toBe('late\n');
});

test('a slow sink loses nothing that the command wrote before its end', async () => {
  const { child, reader } = writer('head -c 150000 /dev/zero');
  let bytes = 0;
  await readPipe(reader, child.exited, 1, async (chunk) => {
    bytes += chunk.length;
    await Bun.sleep(30);
  });
  expect(bytes).toBe(150_000);
});

test('a slow sink does not let a grandchild write forever', async () => {
  const { reader } = writer('yes');
  let bytes = 0;
  await readPipe(reader, Promise.resolve(), 10, async (chunk) => {
    bytes += chunk.length;
    await Bun.sleep(1);
  });
  expect(bytes).toBeLessThan(100_000_000);
});

test('the pipe is closed if the sink fails', async () => {
  const { child, reader } = writer('yes');
  const reading = readPipe(reader, RUNNING, A_MINUTE_MS, () => {
    throw new Error('no more');
  });
  expect(await reading.catch((error: Error) => error.message)).toBe('no more');
  expect(await child.exited).not.toBe(0);
});
