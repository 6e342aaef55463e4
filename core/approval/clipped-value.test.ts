import { expect, test } from 'bun:test';
import { clippedValue, fitsLine } from './clipped-value.ts';

test('of a long value both ends are shown, and how much is between them', () => {
  const text = `${'a'.repeat(150)}😀${'b'.repeat(50)}`;
  expect(clippedValue(text)).toEqual({
    kind: 'clipped',
    head: 'a'.repeat(150),
    left: 1,
    tail: 'b'.repeat(50),
  });
  expect(clippedValue('a'.repeat(200)).kind).toBe('whole');
});

test.each([
  ['', true],
  ['eu-central', true],
  ['v2 of the app', true],
  ['a'.repeat(20), true],
  ['a'.repeat(21), false],
  ['two\nlines', false],
  ['\u202Etxt.exe', false],
  ['日本', false],
])('%j is shown in one line: %p', (text, fits) => {
  expect(fitsLine(text)).toBe(fits);
});
