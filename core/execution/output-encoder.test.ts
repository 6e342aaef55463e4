import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LIMITS } from '../plan/limits.ts';
import { readEvent } from './event.ts';
import { type EncodedOutput, rebuildOutput } from './frame.ts';
import { OutputEncoder, type OutputEncoderOptions } from './output-encoder.ts';
import { SseDecoder } from './sse-decoder.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const decoded = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function encode(chunks: readonly Uint8Array[], options?: OutputEncoderOptions): EncodedOutput[] {
  const encoder = new OutputEncoder(options);
  return [...chunks.map((chunk) => encoder.push(chunk)), encoder.end()].filter(
    (frame) => frame !== undefined,
  );
}

function sseText(frames: readonly EncodedOutput[]): string {
  return frames.map((frame) => new TextDecoder().decode(frame.sse)).join('');
}

function lines(frames: readonly EncodedOutput[]): string[] {
  const messages = new SseDecoder().push(utf8(sseText(frames)));
  return messages.map(({ data }) => {
    const event = readEvent(data);
    if (event?.type !== 'output') throw new Error(`not an output event: ${data}`);
    return event.data;
  });
}

const linesOf = (text: string) => lines(encode([utf8(text)]));

/** The expected events of the encoder, code point by code point, from the whole text at once. */
function expectedLines(text: string, lineBytes: number): string[] {
  const all = text.split('\n');
  const last = all.pop() ?? '';
  const contents = all.map((line) => line.replace(/\r$/, ''));
  return [...contents, ...(last === '' ? [] : [last])].flatMap((line) => cut(line, lineBytes));
}

function cut(line: string, lineBytes: number): string[] {
  const pieces = [''];
  let used = 0;
  for (const character of line) {
    const size = utf8(character).length;
    if (used + size > lineBytes) {
      pieces.push('');
      used = 0;
    }
    pieces[pieces.length - 1] += character;
    used += size;
  }
  return pieces;
}

/** Bytes that meet every rule: line ends, escapes, code points of each length and their fragments, a BOM, our own syntax. */
const pieceOfOutput = fc.oneof(
  fc
    .constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\\',
      '\\n',
      '"',
      '\0',
      '\u001b[1m',
      '\u007f',
      '\ufeff',
      '\u2028',
      'é',
      '€',
      '😀',
      'data: x\n\n',
    )
    .map(utf8),
  fc
    .constantFrom([0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80], [0xff], [0xed, 0xa0, 0x80])
    .map((bytes) => Uint8Array.from(bytes)),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map(utf8),
  fc.uint8Array({ maxLength: 6 }),
);
const output = fc.array(pieceOfOutput, { maxLength: 40 }).map((pieces) => concat(pieces));

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
}

function chunked(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

const chunkSizes = fc.array(fc.nat({ max: 9 }), { maxLength: 60 });
const lineBytes = fc.constantFrom(4, 5, 6, 7, 13, 64, LIMITS.lineBytes);

describe('one event per line', () => {
  test('writes exactly the lines of the specification', () => {
    expect(sseText(encode([utf8('a\nb\n')]))).toBe(
      'data: {"type":"output","data":"a"}\n\ndata: {"type":"output","data":"b"}\n\n',
    );
  });

  test('names the step between type and data, whatever characters it has', () => {
    expect(sseText(encode([utf8('a\nb\nc\nd')], { step: '$& $$ "x"' }))).toBe(
      'a b c d'.replaceAll(
        /\w ?/g,
        (line) => `data: {"type":"output","step":"$& $$ \\"x\\"","data":"${line.trim()}"}\n\n`,
      ),
    );
  });

  test.each([29, 30, 31, 89, 90, 91])(
    'among short lines, one of %d characters is cut where it has to be',
    (length) => {
      const text = `${'short\n'.repeat(20)}${'x'.repeat(length)}\n"quoted"\n${'y'.repeat(length)}`;
      for (const tried of [text, `${text}\n`, text.replaceAll('"', '')]) {
        const frames = encode([utf8(tried)], { lineBytes: 90 });
        expect(lines(frames)).toEqual(expectedLines(tried, 90));
        expect(frames.reduce((sum, frame) => sum + frame.lines, 0)).toBe(expectedLines(tried, 90).length);
        expect(rebuildOutput(frames)).toBe(tried);
      }
    },
  );

  test('keeps output that imitates our own events as data', () => {
    const imitation =
      'data: {"type":"done","exit_code":0,"duration_ms":1}\n\nevent: x\nid: 9\n: c\n"}\\n\\ndata: {}\n';
    expect(linesOf(imitation)).toEqual(imitation.split('\n').slice(0, -1));
    expect(sseText(encode([utf8(imitation)]))).toMatch(
      /^(data: \{"type":"output","data":"([^\n"\\]|\\.)*"\}\n\n)*$/,
    );
  });

  test('replaces bytes that are not UTF-8 as the decoder of the whole would', () => {
    const bytes = Uint8Array.from([0xff, 0x0a, 0xe2, 0x82, 0x0a, 0xf0, 0x9f, 0x98]);
    expect(lines(encode([bytes]))).toEqual(['\ufffd', '\ufffd', '\ufffd']);
  });

  test('emits a line as soon as its newline has arrived, not before', () => {
    const encoder = new OutputEncoder();
    expect(encoder.push(utf8('ab'))).toBeUndefined();
    expect(encoder.push(utf8('c\nd'))?.lines).toBe(1);
    expect(encoder.end()?.lines).toBe(1);
  });
});

describe('long lines', () => {
  const limit = LIMITS.lineBytes;

  test.each([
    ['a line of exactly the limit', 'x'.repeat(limit), [limit]],
    ['one byte more', 'x'.repeat(limit + 1), [limit, 1]],
    ['code points of two bytes', 'é'.repeat(limit / 2 + 1), [limit / 2, 1]],
    ['a code point of three bytes over the border', `${'x'.repeat(limit - 1)}€`, [limit - 1, 1]],
    ['a surrogate pair over the border', `${'x'.repeat(limit - 3)}😀`, [limit - 3, 2]],
  ])('%s', (_, line, lengths) => {
    for (const text of [line, `${line}\n`, `${line}\r\n`]) {
      const frames = encode([utf8(`before\n${text}`)]);
      expect(lines(frames).map((data) => data.length)).toEqual(['before'.length, ...lengths]);
      expect(rebuildOutput(frames)).toBe(`before\n${text}`);
    }
  });

  test('a "\\r" right after the limit belongs to the line end, wherever the chunks are cut', () => {
    const line = 'x'.repeat(limit);
    for (const chunks of [[`${line}\r\n`], [line, '\r', '\n'], [`${line}\r`, '\n']]) {
      expect(lines(encode(chunks.map(utf8)))).toEqual([line]);
    }
    expect(lines(encode([`${line}\r`, 'y\n'].map(utf8)))).toEqual([line, '\ry']);
  });

  test('holds a line without an end to its limit, and gives the rest out as it comes', () => {
    const encoder = new OutputEncoder();
    const chunk = new Uint8Array(1 << 20).fill(0x78);
    let buffered = 0;
    for (let n = 0; n < 64; n += 1) {
      const frame = encoder.push(chunk);
      buffered += chunk.length - (frame?.lines ?? 0) * limit;
      expect(buffered).toBeLessThanOrEqual(limit);
      expect(frame?.endings).toEqual([[0, frame?.lines ?? 0, 'cut']]);
    }
  });
});

describe('for any output', () => {
  test('the events are those of the whole text, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(output, chunkSizes, lineBytes, (bytes, sizes, limit) => {
        const frames = encode(chunked(bytes, sizes), { lineBytes: limit });
        expect(lines(frames)).toEqual(expectedLines(decoded(bytes), limit));
      }),
      { numRuns: 3000 },
    );
  });

  test('the stream is the same byte for byte, cut at every byte or not at all', () => {
    fc.assert(
      fc.property(output, lineBytes, (bytes, limit) => {
        const everyByte = encode(chunked(bytes, Array(bytes.length).fill(1)), { lineBytes: limit });
        expect(sseText(everyByte)).toBe(sseText(encode([bytes], { lineBytes: limit })));
      }),
    );
  });

  test('the frames rebuild the decoded text exactly', () => {
    fc.assert(
      fc.property(output, chunkSizes, lineBytes, (bytes, sizes, limit) => {
        expect(rebuildOutput(encode(chunked(bytes, sizes), { lineBytes: limit, step: 'build' }))).toBe(
          decoded(bytes),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('a frame counts its events, and its endings are in order and apart', () => {
    fc.assert(
      fc.property(output, chunkSizes, lineBytes, (bytes, sizes, limit) => {
        for (const frame of encode(chunked(bytes, sizes), { lineBytes: limit })) {
          expect(lines([frame])).toHaveLength(frame.lines);
          let next = 0;
          for (const [first, count] of frame.endings) {
            expect(first).toBeGreaterThanOrEqual(next);
            expect(count).toBeGreaterThan(0);
            next = first + count;
          }
          expect(next).toBeLessThanOrEqual(frame.lines);
        }
      }),
    );
  });
});

test('a million equal line ends are one entry', () => {
  const [frame] = encode([utf8('x\r\n'.repeat(1_000_000))]);
  expect(frame?.endings).toEqual([[0, 1_000_000, 'crlf']]);
});

test('refuses a limit that some code points do not fit', () => {
  expect(() => encode([utf8('a\n')], { lineBytes: 3 })).toThrow('at least 4');
});
