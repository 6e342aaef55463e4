import { describe, expect, test } from 'bun:test';
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

/** Long runs pass a gigabyte, these at least four times the memory that may be held. */
const SCALE = LONG ? 5 : 1;

describe('output uses flat memory, although it is read slower than written', () => {
  const VOLUMES = [
    ['raw bytes', 'raw', SCALE * 200_000_000, 'head -c BYTES /dev/zero'],
    ['one line, as events', 'events', SCALE * 200_000_000, "head -c BYTES /dev/zero | tr '\\0' x"],
    ['many short lines, as events', 'events', SCALE * 20_000_000, 'yes | head -c BYTES'],
  ] as const;

  test.each(VOLUMES)(
    '%s',
    async (_what, output, bytes, text) => {
      const { ending, received, grownMegabytes } = await report(
        'pass-volume.ts',
        output,
        String(bytes),
        text,
      );
      expect(ending).toBe('exited');
      if (output === 'raw') expect(received).toBe(bytes);
      else expect(received).toBeGreaterThan(bytes);
      expect(grownMegabytes).toBeLessThan(48);
    },
    LIMIT_MS,
  );
});

test('a blocked sink stops the command and later gets all output', async () => {
  await using runner = quickRunner();
  const BYTES = 20_000_000;
  const { promise: open, resolve: openGate } = Promise.withResolvers<void>();
  const { promise: pid, resolve: tellPid } = Promise.withResolvers<number>();
  let received = 0;
  const gated: OutputSink = {
    async write(chunk) {
      if (received === 0) tellPid(Number.parseInt(new TextDecoder().decode(chunk), 10));
      await open;
      received += chunk.length;
    },
  };
  // Its first line contains its pid; the sink blocks after that.
  const command = runner.start(shell(`echo $$; exec head -c ${BYTES} /dev/zero`), gated);
  expect(await writtenWhenItStands(await pid)).toBeLessThan(3_000_000);
  openGate();
  expect((await command.ended).kind).toBe('exited');
  expect(received).toBe(`${await pid}\n`.length + BYTES);
});

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
  `${RUNS} runs leave no open file, thread or zombie behind, and no memory`,
  async () => {
    const { early, late, runs } = await report('run-many.ts', String(RUNS));
    expect(runs).toBe(RUNS);
    expect(late.files).toBeLessThanOrEqual(early.files);
    // The runtime starts and ends a few threads of its own.
    expect(late.threads).toBeLessThanOrEqual(early.threads + 4);
    expect(late.zombies).toBe(0);
    expect(late.megabytes - early.megabytes).toBeLessThan(48);
  },
  LIMIT_MS,
);
