import { expect, test } from 'bun:test';
import { cutMarker, readCutMarker } from './cut-marker.ts';

test.each([
  { bytes: 10_124_871, lines: 100_458 },
  { bytes: 5, lines: 1 },
])('%p is read as it was written', (cut) => {
  expect(readCutMarker(cutMarker(cut))).toEqual(cut);
});

test('a marker without its size, or with bytes only, counts no lines', () => {
  expect(readCutMarker(cutMarker(undefined))).toEqual({ bytes: 0, lines: 0 });
  const before = '[svc: 70 bytes of the stream cut here, over the limit]';
  expect(readCutMarker(before)).toEqual({ bytes: 70, lines: 0 });
});

test.each(['', 'hello', '[svc: 1 bytes of the stream cut here, over the limit] and more'])(
  '%p is no marker',
  (line) => {
    expect(readCutMarker(line)).toBeUndefined();
  },
);
