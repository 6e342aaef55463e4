import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Masker, spellings } from './masker.ts';

function masked(values: readonly string[], chunks: readonly Uint8Array<ArrayBuffer>[]): string {
  const masker = new Masker(values);
  const parts = [...chunks.map((chunk) => masker.push(chunk.slice())), masker.end()];
  return Buffer.concat(parts).toString('latin1');
}

/** The rule itself, on whole text: leftmost, then longest. */
function maskedNaively(values: readonly string[], text: string): string {
  const patterns = values
    .filter((value) => value !== '')
    .flatMap(spellings)
    .map((it) => Buffer.from(it).toString('latin1'))
    .sort((a, b) => b.length - a.length);
  let out = '';
  for (let at = 0; at < text.length; ) {
    const found = patterns.find((pattern) => text.startsWith(pattern, at));
    out += found === undefined ? text[at] : '***';
    at += found?.length ?? 1;
  }
  return out;
}

function cut(bytes: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const places = [0, ...cuts.map((it) => it % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.slice(places[index], end));
}

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '"', '%', ' '), maxLength: 6 });

test('masks the same bytes however the output is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(short, { maxLength: 3 }),
      fc.array(fc.oneof(short, fc.nat({ max: 2 })), { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (values, parts, cuts) => {
        const text = parts.map((it) => (typeof it === 'number' ? (values[it] ?? '-') : it)).join('');
        const bytes = new TextEncoder().encode(text);
        const expected = maskedNaively(values, Buffer.from(bytes).toString('latin1'));
        expect(masked(values, cut(bytes, cuts))).toBe(expected);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('knows a secret by its base64, URL and JSON spellings', () => {
  const secret = 'p@ss w"rd/ü?>';
  for (const spelling of [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2).replaceAll('%22', '%22'),
    JSON.stringify(secret).slice(1, -1),
  ]) {
    expect(masked([secret], [new TextEncoder().encode(`<${spelling}>`)])).toBe('<***>');
  }
});

test('holds back only what may become a secret', () => {
  const masker = new Masker(['hunter2']);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  const bytes = (it: string) => new TextEncoder().encode(it);
  expect(text(masker.push(bytes('a line\n')))).toBe('a line\n');
  expect(text(masker.push(bytes('it is hunt')))).toBe('it is ');
  expect(text(masker.push(bytes('er')))).toBe('');
  expect(text(masker.push(bytes('!')))).toBe('hunter!');
  expect(text(masker.push(bytes('hunter2')))).toBe('***');
  expect(text(masker.push(bytes('hunter')))).toBe('');
  expect(text(masker.end())).toBe('hunter');
});

test('passes output through untouched when there is nothing to mask', () => {
  const chunk = new TextEncoder().encode('as it is');
  expect(new Masker(['']).push(chunk)).toBe(chunk);
});
