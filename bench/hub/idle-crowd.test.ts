import { expect, test } from 'bun:test';
import { commonHub } from './idle-crowd.ts';

const PARTS = [['a', 'b'], ['c']];

test('all agents are there when each process says so of one and the same hub', () => {
  const whole = { hub: 'new', count: 2 };
  expect(commonHub([whole, { hub: 'new', count: 1 }], PARTS)).toBe('new');
  expect(commonHub([whole, { hub: 'new', count: 0 }], PARTS)).toBeUndefined();
  // Before the second process has noticed that the old hub is gone.
  expect(commonHub([whole, { hub: 'old', count: 1 }], PARTS)).toBeUndefined();
});
