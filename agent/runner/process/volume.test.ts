import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { OutputSink } from '../runner.ts';
import { shell } from './fixtures/launch.ts';
import { quickRunner } from './fixtures/runner.ts';

const LONG = process.env.SVC_TEST_LONG === '1';
const RUNS = LONG ? 50_000 : 600;
const LIMIT_MS = LONG ? 600_000 : 120_000;

/** The report of a fixture that runs in its own process. */
async function report(fixture: string, ...args: string[]) {
  const path = new URL(`./fixtures/${fixture}`, import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, path, ...args], {
    env: process.env,
    stdin: 'ignore',
    stderr: 'inherit',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return JSON.parse(await new Response(child.stdout).text());
}

/** More than pipe and buffers hold, many times over. */
const BYTES = 20_000_000;
/** Pipe and buffers together, on the way of any kind of output. */
const HELD_BYTES = 3_000_000;

test.each([
  ['raw bytes', 'raw', `head -c ${BYTES} /dev/zero`],
  ['one line, as events', 'events', `head -c ${BYTES} /dev/zero`],
  ['many short lines, as events', 'events', 'seq 1 3000000'],
] as const)(
  'a blocked sink stops a command that writes %s, and later gets all',
  async (_what, output, text) => {
    await using runner = quickRunner();
    const { promise: open, resolve: openGate } = Promise.withResolvers<void>();
    const { promise: pid, resolve: tellPid } = Promise.withResolvers<number>();
    let received = 0;
    const gated: OutputSink = {
      async write(chunk) {
        if (received === 0) tellPid(Number(/\d+/.exec(new TextDecoder().decode(chunk))?.[0]));
        await open;
        received += chunk.length;
      },
    };
    // Its first line contains its pid; the sink blocks after that.
    const command = runner.start(shell(`echo $$; exec ${text}`, { output }), gated);
    expect(await writtenWhenItStands(await pid)).toBeLessThan(HELD_BYTES);
    openGate();
    expect((await command.ended).kind).toBe('exited');
    if (output === 'raw') expect(received).toBe(`${await pid}\n`.length + BYTES);
    else expect(received).toBeGreaterThan(BYTES);
  },
);

test('the memory of a piece is free only after the sink has taken it', async () => {
  await using runner = quickRunner();
  const pieces: Uint8Array[] = [];
  const lost: number[] = [];
  const { ended } = runner.start(shell('head -c 3000000 /dev/zero'), {
    async write(chunk) {
      pieces.push(chunk);
      const { length } = chunk;
      // Other work gets its turn meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      if (chunk.length !== length) lost.push(length);
    },
  });
  expect((await ended).kind).toBe('exited');
  expect(lost).toEqual([]);
  expect(pieces.filter(({ length }) => length > 0)).toEqual([]);
});

/** The bytes that a process has written, once the number no longer changes. */
async function writtenWhenItStands(pid: number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 20; await Bun.sleep(5)) {
    const [, written] = /wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
    same = Number(written) === last ? same + 1 : 0;
    last = Number(written);
  }
  return last;
}

test(
  `${RUNS} runs leave no open file, thread, zombie or object behind`,
  async () => {
    const { early, late, runs } = await report('run-many.ts', String(RUNS));
    expect(runs).toBe(RUNS);
    expect(late.files).toBeLessThanOrEqual(early.files);
    // The runtime starts and ends a few threads of its own.
    expect(late.threads).toBeLessThanOrEqual(early.threads + 4);
    expect(late.zombies).toBe(0);
    expect(late.objects - early.objects).toBeLessThan(runs);
  },
  LIMIT_MS,
);
