import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type EncodedOutput, rebuildOutput } from './frame.ts';
import { OutputEncoder } from './output-encoder.ts';
import { splitFrame } from './split-frame.ts';

/** All output of a command in one frame, as a chunk of newlines would give. */
function frameOf(text: string, lineBytes = 8): EncodedOutput {
  const frame = new OutputEncoder({ lineBytes }).push(new TextEncoder().encode(text));
  if (frame === undefined) throw new Error('the text has no whole line');
  return frame;
}

const output = fc
  .array(fc.constantFrom('\n', '\r\n', 'a', '\u0001', 'ü', 'a line', 'one line that is cut'), {
    maxLength: 60,
  })
  .map((parts) => `${parts.join('')}\n`);

test('the frames are the same stream and rebuild the same text', () => {
  fc.assert(
    fc.property(output, fc.integer({ min: 1, max: 400 }), (text, maxBytes) => {
      const whole = frameOf(text);
      const frames = splitFrame(whole, maxBytes);
      expect(Buffer.concat(frames.map(({ sse }) => sse)).equals(whole.sse)).toBe(true);
      expect(rebuildOutput(frames)).toBe(rebuildOutput([whole]));
      expect(frames.reduce((sum, { lines }) => sum + lines, 0)).toBe(whole.lines);
    }),
    { numRuns: 3_000 },
  );
});

test('each is as long as it may be, and longer only for a single event', () => {
  fc.assert(
    fc.property(output, fc.integer({ min: 1, max: 400 }), (text, maxBytes) => {
      const frames = splitFrame(frameOf(text), maxBytes);
      for (const [index, { sse, lines }] of frames.entries()) {
        if (lines > 1) expect(sse.length).toBeLessThanOrEqual(maxBytes);
        const next = frames[index + 1];
        if (next === undefined) continue;
        const firstOfNext = next.sse.indexOf(0x0a) + 2;
        expect(sse.length + firstOfNext).toBeGreaterThan(maxBytes);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('a frame that fits is returned unchanged', () => {
  const frame = frameOf('a\nb\n');
  expect(splitFrame(frame, frame.sse.length)).toEqual([frame]);
  expect(splitFrame(frame, frame.sse.length - 1)).toHaveLength(2);
});
