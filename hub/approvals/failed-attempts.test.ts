import { expect, test } from 'bun:test';
import { FailedAttempts } from './failed-attempts.ts';

test('of one approval the first try from each address is new, of twenty addresses', () => {
  const tries = new FailedAttempts();
  expect([
    tries.isNew('a', '1'),
    tries.isNew('a', '1'),
    tries.isNew('a', '2'),
    tries.isNew('b', '1'),
  ]).toEqual([true, false, true, true]);
  const more = Array.from({ length: 100 }, (_, at) => tries.isNew('a', `more ${at}`));
  expect(more.filter(Boolean)).toHaveLength(18);
});

test('the approvals of longest ago are forgotten, and no others', () => {
  const tries = new FailedAttempts();
  for (let at = 0; at <= 10_000; at += 1) tries.isNew(`a${at}`, '1');
  expect([tries.isNew('a10000', '1'), tries.isNew('a1', '1'), tries.isNew('a0', '1')]).toEqual([
    false,
    false,
    true,
  ]);
});
