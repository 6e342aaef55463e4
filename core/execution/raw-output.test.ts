import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type EncodedOutput, rebuildOutput } from './frame.ts';
import { OutputEncoder } from './output-encoder.ts';
import { RawEncoder } from './raw-encoder.ts';
import { kindOfEvents, rawParts, textOf, UNREADABLE } from './raw-output.ts';

/** Long chunks of every byte, and short ones. */
const long = fc
  .tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 255 }))
  .map(([length, seed]) => Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 7) + seed) & 0xff));
const chunks = fc.array(fc.oneof(long, fc.uint8Array({ maxLength: 8 })), { maxLength: 5 });
const utf8 = (text: string) => new TextEncoder().encode(text);

function encode(all: readonly Uint8Array[], step?: string): EncodedOutput[] {
  const encoder = new RawEncoder(step);
  return [...all.map((chunk) => encoder.push(chunk)), encoder.end()].filter((frame) => frame !== undefined);
}

function stdoutOf(frames: readonly EncodedOutput[]): Uint8Array {
  const parts = frames.flatMap(({ sse }) => rawParts(sse));
  return Buffer.concat(parts.map((part) => (part.kind === 'stdout' ? part.bytes : utf8('not stdout'))));
}

test('returns every byte, however the chunks are cut', () => {
  fc.assert(
    fc.property(chunks, fc.option(fc.string(), { nil: undefined }), (all, step) => {
      const frames = encode(all, step);
      expect(Buffer.from(stdoutOf(frames)).equals(Buffer.concat(all))).toBe(true);
      expect(frames.every(({ sse }) => sse.length > 0)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('text stays readable, also where a chunk ends inside a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(), (text, at) => {
      fc.pre(!text.includes('\0'));
      const bytes = utf8(text);
      const cut = bytes.length === 0 ? 0 : at % bytes.length;
      expect(rebuildOutput(encode([bytes.subarray(0, cut), bytes.subarray(cut)]))).toBe(text);
    }),
  );
  const long = 'ä€😀'.repeat(20_000);
  expect(rebuildOutput(encode([utf8(long)]))).toBe(long);
});

test('bytes that are not text are not buffered', () => {
  const endOfJpeg = Uint8Array.of(0xff, 0xd9);
  expect(rawParts(new RawEncoder().push(endOfJpeg)?.sse ?? new Uint8Array())).toEqual([
    { kind: 'stdout', bytes: endOfJpeg },
  ]);
});

test('no event is longer than an event of text', () => {
  const [frame] = encode([new Uint8Array(1_000_000).fill(7)]);
  const events = new TextDecoder().decode(frame?.sse).split('\n\n');
  expect(Math.max(...events.map(({ length }) => length))).toBeLessThan(66_000);
  expect(frame?.lines).toBe(events.length - 1);
});

test('bytes that are no text are named by their number', () => {
  expect(textOf({ data: new Uint8Array([0x89, 0x50, 0]).toBase64(), encoding: 'base64' })).toBe(
    '[svc: 3 bytes that are no text]\n',
  );
  expect(textOf({ data: 'AAAA' })).toBe('AAAA');
});

test('a piece says which stream it is from', () => {
  const [raw] = encode([utf8('a')], 'build "it"');
  const stderr = new OutputEncoder({ stream: 'stderr' }).push(utf8('no "encoding":"base64"\n'));
  const text = new OutputEncoder().push(utf8('{"type":"output","encoding":"base64"}\n'));
  const kinds = [raw, stderr, text].map((frame) => kindOfEvents(frame?.sse ?? new Uint8Array()));
  expect(kinds).toEqual(['raw', 'stderr', 'text']);
  expect(rawParts(stderr?.sse ?? new Uint8Array())).toEqual([
    { kind: 'stderr', line: 'no "encoding":"base64"' },
  ]);
  expect(rawParts(text?.sse ?? new Uint8Array())[0]?.kind).toBe('gap');
});

test('an invalid event does not hide valid ones', () => {
  const event = (json: string) => `data: ${json}\n\n`;
  const raw = (data: string) => event(`{"type":"output","encoding":"base64","data":"${data}"}`);
  const wrong = ['{"type":"output",no}', '5', 'null', '{"type":"output"}', '{"type":"done"}'].map(event);
  const lines = [event('{"type":"output","data":"a"}'), ...wrong, event('{"type":"output","data":"b"}')];
  expect(
    rebuildOutput([{ sse: utf8(lines.join('')), lines: lines.length, endings: [] }]).split('\n'),
  ).toEqual(['a', ...wrong.map(() => UNREADABLE), 'b', '']);
  expect(rawParts(utf8([raw('YQ=='), ...wrong, raw('%%'), raw('Yg==')].join('')))).toEqual([
    { kind: 'stdout', bytes: utf8('a') },
    ...[...wrong, raw('%%')].map(() => ({ kind: 'gap', line: UNREADABLE }) as const),
    { kind: 'stdout', bytes: utf8('b') },
  ]);
  expect(textOf({ data: '%%', encoding: 'base64' })).toBe(UNREADABLE);
});
