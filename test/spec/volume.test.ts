// Much output, end to end: every byte arrives, and the server's memory does not grow with it (decision 15, the event
// stream, and decision 16, the buffered answer).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { peakMiB } from '../memory.ts';
import { bytesWithoutComment } from '../without-comments.ts';
import { serveWorld, type World } from '../world.ts';

/** Several times what the memory may differ by; a gigabyte with `npm test -- --long`. */
const MUCH = process.env.SVC_TEST_LONG === '1' ? 1_000_000_000 : 300_000_000;
const LINE = '0123456789'.repeat(10).slice(1);
const EVENT_BYTES = eventBytes(LINE.length);
/** Longer lines come in pieces of 64 KiB (decision 15, the event stream). */
const PIECE_CHARACTERS = 65_536;

/** The allowed difference of the peak between a little output and much: garbage not yet collected, and how full sockets were. */
const FLAT_MIB = 64;

const SOME_LINES = 500_000;

const lines = (count: number) => `yes ${LINE} | head -n ${count}`;
const oneLine = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`;

/** A busy machine takes long. */
setDefaultTimeout(300_000);

let world: World;
let usualMiB: number;
beforeAll(async () => {
  world = await serveWorld([
    { name: 'some-lines', command: lines(SOME_LINES) },
    { name: 'some-line', command: oneLine(50_000_000) },
    { name: 'lines', command: lines(MUCH / 100) },
    { name: 'line', command: oneLine(MUCH) },
  ]);
  await curl('some-lines');
  await curl('some-line');
  usualMiB = peakMiB(world.pid);
});
afterAll(() => world[Symbol.asyncDispose]());

/** The length of an `output` event with this many characters that need no escape. */
function eventBytes(characters: number): number {
  return 'data: {"type":"output","data":""}\n\n'.length + characters;
}

/** Reads a stream to its end; answers how long it was before its `done`. */
async function curl(name: string, ...options: string[]): Promise<number> {
  const argv = ['curl', '-sN', ...options, `${world.url}/${name}`];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  let end = '';
  for await (const chunk of child.stdout) {
    bytes += bytes === 0 ? bytesWithoutComment(chunk) : chunk.length;
    end = (end + Buffer.from(chunk.subarray(-100)).toString()).slice(-100);
  }
  const [done] = /data: \{"type":"done","exit_code":0,"duration_ms":\d+\}\n\n$/.exec(end) ?? [];
  if (done === undefined) throw new Error(`the stream of ${name} ended in ${JSON.stringify(end)}`);
  return bytes - done.length;
}

test(`${MUCH / 1e6} MB of lines`, async () => {
  expect(await curl('lines')).toBe((MUCH / 100) * EVENT_BYTES);
  expect(peakMiB(world.pid) - usualMiB).toBeLessThan(FLAT_MIB);
});

test(`a line of ${MUCH / 1e6} MB`, async () => {
  const pieces = Math.floor(MUCH / PIECE_CHARACTERS);
  const rest = MUCH - pieces * PIECE_CHARACTERS;
  expect(await curl('line')).toBe(pieces * eventBytes(PIECE_CHARACTERS) + eventBytes(rest));
  expect(peakMiB(world.pid) - usualMiB).toBeLessThan(FLAT_MIB);
});

test('a caller that reads slowly holds up the command, not the server', async () => {
  let answers = 0;
  let isRead = false;
  const reading = curl('some-lines', '--limit-rate', '20M').finally(() => {
    isRead = true;
  });
  while (!isRead) {
    expect((await fetch(`${world.url}/health`)).status).toBe(200);
    answers += 1;
  }
  expect(await reading).toBe(SOME_LINES * EVENT_BYTES);
  expect(answers).toBeGreaterThan(10);
  expect(peakMiB(world.pid) - usualMiB).toBeLessThan(FLAT_MIB);
});

test('much output that is to be buffered is cut at a mebibyte, and the rest is not kept', async () => {
  const response = await fetch(`${world.url}/some-lines`, { headers: { accept: 'application/json' } });
  const { output, truncated } = (await response.json()) as { output: string; truncated: boolean };
  expect([output.length, truncated]).toEqual([1024 * 1024, true]);
  expect(peakMiB(world.pid) - usualMiB).toBeLessThan(FLAT_MIB);
});
