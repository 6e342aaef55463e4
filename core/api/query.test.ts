import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Refusal } from '../refusal.ts';
import { readQuery } from './query.ts';

const table: [query: string, pairs: [string, string][]][] = [
  ['', []],
  ['a=1', [['a', '1']]],
  [
    'a=1&b=2&a=3',
    [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ],
  ],
  ['a', [['a', '']]],
  ['a=', [['a', '']]],
  ['=x', [['', 'x']]],
  ['a=b=c', [['a', 'b=c']]],
  ['&&a=1&', [['a', '1']]],
  ['a+b=c+d%2Be', [['a b', 'c d+e']]],
  ['x=%C3%A9%00%26%3D', [['x', 'é\0&=']]],
];
test.each(table)('%p is read as names and values', (query, pairs) => {
  expect(readQuery(query)).toEqual(pairs);
});

test('text of URLSearchParams is read back', () => {
  const pairs = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })));
  fc.assert(
    fc.property(pairs, (given) => {
      expect(readQuery(new URLSearchParams(given).toString())).toEqual(given);
    }),
  );
});

test.each(['a=%', 'a=%zz', 'a=%ff', 'a=%C3', 'a=%ED%A0%80', '%ff=1', 'a=100%'])(
  '%s is refused, not guessed at',
  (query) => {
    expect(() => readQuery(query)).toThrow(Refusal);
  },
);
