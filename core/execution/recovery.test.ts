import { expect, test } from 'bun:test';
import { onHubStart, onReturn } from './recovery.ts';

test.each([
  [true, true, true, false, 'resume'],
  [true, true, false, false, 'resume'],
  [true, false, true, false, 'resume'],
  [true, false, false, false, 'resume'],
  [true, true, true, true, 'resume'],
  [false, true, true, false, 'dispatch_again'],
  [false, true, true, true, 'cancelled'],
  [false, true, false, true, 'cancelled'],
  [false, true, false, false, 'never_ran'],
  [false, false, true, false, 'lost'],
  [false, false, false, false, 'lost'],
  [false, false, true, true, 'lost'],
] as const)(
  'in flight %p, same boot %p, wanted %p, cancelled %p: %p',
  (isInFlight, isSameBoot, isWanted, isCancelled, expected) => {
    expect(onReturn({ isInFlight, isSameBoot, isWanted, isCancelled })).toBe(expected);
  },
);

test.each([
  ['running', true, 'await_agent'],
  ['running', false, 'await_agent'],
  ['queued', true, 'await_dispatch'],
  ['queued', false, 'reject'],
  ['pending_approval', true, 'leave'],
] as const)('when the hub starts, a %p one (asynchronous %p) is: %p', (state, asynchronous, expected) => {
  expect(onHubStart({ state, asynchronous })).toBe(expected);
});
