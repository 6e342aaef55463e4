import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EncodedOutput, rebuildOutput } from '@svc/core/execution/frame';
import type { Ending, Launch, Runner } from '../runner.ts';
import { shell } from './fixtures/launch.ts';
import { quickRunner } from './fixtures/runner.ts';

let runner: Runner;
beforeAll(() => {
  runner = quickRunner();
});
afterAll(() => runner[Symbol.asyncDispose]());

async function framesOf(
  text: string,
  different: Partial<Launch> = {},
): Promise<{ frames: EncodedOutput[]; ending: Ending }> {
  const frames: EncodedOutput[] = [];
  const launch = shell(text, { output: 'frames', frameBytes: 4096, ...different });
  const { ended } = runner.start(launch, {
    write(sse, endings = []) {
      frames.push({ sse: sse.slice(), lines: Buffer.from(sse).toString().split('\n\n').length - 1, endings });
    },
  });
  return { ending: await ended, frames };
}

test('frames rebuild what the command printed, line ends included', async () => {
  const { frames } = await framesOf('printf "a\\r\\nb\\nc\\r\\n\\r\\n"; printf "%0100000d\\nend" 0');
  expect(rebuildOutput(frames)).toBe(`a\r\nb\nc\r\n\r\n${'0'.repeat(100_000)}\nend`);
});

test('a frame is at most as long as the launch allows, except for a single longer event', async () => {
  const { frames } = await framesOf('yes "" | head -n 50000; printf "%05000d\\n" 0');
  expect(rebuildOutput(frames)).toBe(`${'\n'.repeat(50_000)}${'0'.repeat(5000)}\n`);
  const long = frames.filter(({ sse }) => sse.length > 4096);
  expect(long.map(({ sse }) => sse.length)).toEqual([5000 + 'data: {"type":"output","data":""}\n\n'.length]);
  expect(frames.length).toBeGreaterThan((50_000 * 34) / 4096);
});

test('the result of a transform is in the ending and not in the frames', async () => {
  const transform = { parse: 'json', onError: 'fail' } as const;
  const { frames, ending } = await framesOf('echo out', { transform });
  expect(frames).toEqual([]);
  expect(ending).toMatchObject({ transformed: { kind: 'data', json: '{"length":4}' } });
});

test('output that replaces a failed transform is also sent as frames', async () => {
  const transform = { parse: 'json', onError: 'raw' } as const;
  const { frames, ending } = await framesOf('printf "bad\\r\\nend"', { transform });
  expect(rebuildOutput(frames)).toBe('bad\r\nend');
  expect(ending).toMatchObject({ transformed: { kind: 'skipped', reason: 'it is bad' } });
});
