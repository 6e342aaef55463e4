import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { textPositions } from './text-position.ts';

test('lines and columns count from one, and a line feed belongs to the line that it ends', () => {
  const positionOf = textPositions('ab\n\nc');
  const all = [0, 1, 2, 3, 4, 5].map((offset) => Object.values(positionOf(offset)).join(':'));
  expect(all).toEqual(['1:1', '1:2', '1:3', '2:1', '3:1', '3:2']);
});

test('an offset outside the text is taken to its nearest end', () => {
  const positionOf = textPositions('ab\ncd');
  expect(positionOf(-3)).toEqual({ line: 1, column: 1 });
  expect(positionOf(99)).toEqual({ line: 2, column: 3 });
});

test('line and column lead back to the offset', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '😀'), { maxLength: 50 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(60), (value, at) => {
      const offset = Math.min(at, value.length);
      const { line, column } = textPositions(value)(offset);
      const before = value.split('\n').slice(0, line - 1);
      expect(before.reduce((sum, { length }) => sum + length + 1, column - 1)).toBe(offset);
    }),
  );
});
