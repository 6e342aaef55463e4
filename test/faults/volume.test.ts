// Much output through a hub, with real processes on both sides: every byte arrives, in whatever pieces it was written, and
// neither hub nor agent grows with it (decisions 15, 16, 21 and 29).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { placeOfTests } from '../hub-database.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { peakMiB } from '../memory.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { bytesWithoutComment } from '../without-comments.ts';

const IS_WHOLE = process.env.SVC_TEST_LONG !== undefined || process.env.SVC_TEST_FAULTS !== undefined;
/** A gigabyte, or what shows the same in less time. */
const BYTES = IS_WHOLE ? 1_000_000_000 : 100_000_000;
const SOME_BYTES = 50_000_000;
const LINE_BYTES = 100;
const LINE = '0123456789'.repeat(LINE_BYTES / 10).slice(1);
/** Longer lines come in pieces of 64 KiB (decision 15, the event stream). */
const PIECE_CHARACTERS = 65_536;
const EVENT_BYTES = 'data: {"type":"output","data":""}\n\n'.length;
/**
 * The allowed difference of the peak: garbage not yet collected, and how full sockets were. Kept output would be ten times
 * that.
 */
const FLAT_MIB = 128;
const BINARY_BYTES = 3_000;

/** A busy machine takes long: neither command nor answer is to end because of that. */
const TIMEOUT_SEC = 3_600;

setDefaultTimeout(900_000);

let folder: TemporaryFolder;
/** The hub of the agent, and the one that is called: the same, where there are not several. */
let hub: HubProgram;
let called: HubProgram;
let agent: ReturnType<typeof startSvc>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  const argument = [{ name: 'n', type: 'integer', required: true }];
  await Bun.write(
    path('svc.yaml'),
    configText([
      { name: 'lines', command: `yes ${LINE} | head -n {{n}}`, args: argument, timeout: TIMEOUT_SEC },
      {
        name: 'line',
        command: "head -c {{n}} /dev/zero | tr '\\0' x",
        args: argument,
        timeout: TIMEOUT_SEC,
      },
      { name: 'numbers', command: 'seq {{n}}', args: argument, timeout: TIMEOUT_SEC },
      // One system call for each byte.
      { name: 'binary', command: 'dd if=binary bs=1 status=none' },
    ]),
  );
  hub = await HubProgram.make(folder.path, { SVC_FORWARD_CAP_S: String(TIMEOUT_SEC) });
  called = placeOfTests() === 'several hubs' ? await hub.beside(path('called')) : hub;
  for (const one of new Set([hub, called])) await one.start();
  agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url },
  });
  await new Lines(agent.stdout).find(/"event":"connected"/);
  // The called hub may not know of the agent yet.
  while ((await called.ask('/v1/local/lines?n=1')).status === 502);
}, 120_000);
afterAll(async () => {
  agent.kill('SIGKILL');
  await agent.exited;
  await called[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A stream as it is read in another process. */
function streamed(slug: string, n: number, ...options: string[]): ReadableStream<Uint8Array> {
  const headers = ['-H', `x-api-key: ${hub.apiKey}`, '-H', 'accept: text/event-stream'];
  const argv = ['curl', '-sN', ...options, ...headers, `${called.url}/v1/local/${slug}?n=${n}`];
  return Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout;
}

/** Reads a stream to its end; answers how long it was before its `done`. */
async function streamedBytes(slug: string, n: number, ...options: string[]): Promise<number> {
  let bytes = 0;
  let end = '';
  for await (const chunk of streamed(slug, n, ...options)) {
    bytes += bytes === 0 ? bytesWithoutComment(chunk) : chunk.length;
    end = (end + Buffer.from(chunk.subarray(-100)).toString()).slice(-100);
  }
  const [done] = /data: \{"type":"done","exit_code":0,"duration_ms":\d+\}\n\n$/.exec(end) ?? [];
  if (done === undefined) throw new Error(`the stream of ${slug} ended in ${JSON.stringify(end)}`);
  return bytes - done.length;
}

/** Much of something, after some of it has shown what hub and agent need for it at most. */
async function expectFlat(slug: string, unitBytes: number, eventBytes: number): Promise<void> {
  const [some, much] = [SOME_BYTES, BYTES].map((bytes) => Math.floor(bytes / unitBytes));
  const peaks = () => [hub, called, agent].map(({ pid }) => peakMiB(pid));
  await streamedBytes(slug, some ?? 0);
  const usual = peaks();
  expect(await streamedBytes(slug, much ?? 0)).toBe(eventBytes);
  for (const [index, peak] of peaks().entries()) expect(peak - (usual[index] ?? 0)).toBeLessThan(FLAT_MIB);
}

test(`${BYTES / 1e6} MB of lines`, () =>
  expectFlat('lines', LINE_BYTES, (BYTES / LINE_BYTES) * (EVENT_BYTES + LINE.length)));

test(`a line of ${BYTES / 1e6} MB`, () =>
  expectFlat('line', 1, BYTES + Math.ceil(BYTES / PIECE_CHARACTERS) * EVENT_BYTES));

test('a reader who is slow paces the command, and gets all of it', async () => {
  const lines = 20_000;
  const bytes = await streamedBytes('lines', lines, '--limit-rate', '1M');
  expect(bytes).toBe(lines * (EVENT_BYTES + LINE.length));
});

test("a slow reader gets the command's output unchanged, long after the hub has freed what it passed on", async () => {
  const count = 1_000_000;
  let expected = 0;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of streamed('numbers', count, '--limit-rate', '20M')) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, number] = /"data":"(\d+)"/.exec(event) ?? [];
      if (number === undefined) continue;
      expected += 1;
      if (Number(number) !== expected) throw new Error(`${number} came in the place of ${expected}`);
    }
  }
  expect(expected).toBe(count);
});

test('binary output that is written byte by byte is what a decoder makes of the whole', async () => {
  const bytes = randomBytes(BINARY_BYTES);
  const whole = Buffer.concat([bytes, Buffer.from('ä€𝄞\r\n\u2028 \ufeff'), bytes, Buffer.from([0xf0, 0x9d])]);
  await Bun.write(join(folder.path, 'binary'), whole);
  const answer = await called.ask('/v1/local/binary', { headers: { accept: 'application/json' } });
  const { output } = (await answer.json()) as { output: string };
  expect(output).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole));
});
