import { expect, test } from 'bun:test';
import { hostId } from './docker-engine.ts';

test.each([
  ['nobody is shifted', '         0          0 4294967295\n', 10_001, 10_001],
  ['all are shifted', '         0     231072      65536\n', 10_001, 241_073],
  ['some are shifted', '0 1000 1\n1 100000 65536\n', 10_001, 110_000],
  ['there is no room for the user', '0 1000 1\n1 100000 10000\n', 10_001, undefined],
])('where %s', (_where, uidMap, user, expected) => {
  expect(hostId(uidMap, user)).toBe(expected);
});
