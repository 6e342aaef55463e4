import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { END_ID } from '../../execution/event-ids.ts';
import { formatRunPosition, readRunPosition, type StepPosition } from './run-position.ts';

const step: fc.Arbitrary<StepPosition> = fc.record({
  attempt: fc.integer({ min: 1, max: 11 }),
  at: fc.oneof(
    fc.constant(END_ID),
    fc.record({ seq: fc.nat(1_000_000), events: fc.integer({ min: 0, max: 1_000_000 }) }),
  ),
});

test('a position that is written is read as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(999), step), { maxLength: 64 }), (entries) => {
      const position = new Map(entries);
      const text = formatRunPosition(position);
      expect(readRunPosition(text)).toEqual(position);
      expect(text).toMatch(/^[0-9a-z.,:]+$/);
    }),
  );
});

test('a thousand steps that were read take a quarter of a kilobyte', () => {
  const all = new Map(
    Array.from({ length: 1_000 }, (_, node) => [node, { attempt: 1, at: END_ID }] as const),
  );
  expect(formatRunPosition(all)).toHaveLength(250);
});

test('a text that is not a position is recognized, however long it is', () => {
  expect(readRunPosition('0')).toEqual(new Map());
  expect(readRunPosition('end')).toBe('end');
  for (const text of [
    '',
    'x',
    '0,',
    '0,1',
    '0,1:1',
    '0,1:1:x',
    '-1',
    'f'.repeat(251),
    '0,99999:1:1.1',
    '1.1 ',
  ])
    expect(readRunPosition(text)).toBeUndefined();
});
