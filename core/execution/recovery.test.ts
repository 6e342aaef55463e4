import { expect, test } from 'bun:test';
import { onHubStart, onReturn } from './recovery.ts';

test.each([
  [true, true, true, 'resume'],
  [true, true, false, 'resume'],
  [true, false, true, 'resume'],
  [true, false, false, 'resume'],
  [false, true, true, 'dispatch_again'],
  [false, true, false, 'never_ran'],
  [false, false, true, 'lost'],
  [false, false, false, 'lost'],
] as const)('in flight %p, same boot %p, wanted %p: %p', (isInFlight, isSameBoot, isWanted, expected) => {
  expect(onReturn({ isInFlight, isSameBoot, isWanted })).toBe(expected);
});

test.each([
  ['running', true, 'await_agent'],
  ['running', false, 'await_agent'],
  ['queued', true, 'await_dispatch'],
  ['queued', false, 'reject'],
  ['pending_approval', true, 'leave'],
] as const)('when the hub starts, a %p one (asynchronous %p) is: %p', (state, asynchronous, expected) => {
  expect(onHubStart({ state, asynchronous })).toBe(expected);
});
