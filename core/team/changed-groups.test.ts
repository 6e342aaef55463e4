import { expect, test } from 'bun:test';
import { changedGroups } from './changed-groups.ts';

test.each([
  [[], [], undefined],
  [['a', 'b'], ['b', 'a', 'a'], undefined],
  [[], ['b', 'a'], { gained: ['a', 'b'], lost: [] }],
  [['a', 'b'], ['b', 'c'], { gained: ['c'], lost: ['a'] }],
  [['a', 'b'], [], { gained: [], lost: ['a', 'b'] }],
] as const)('from the groups %j to %j: %j', (before, after, changed) => {
  expect<unknown>(changedGroups(before, after)).toEqual(changed);
});
