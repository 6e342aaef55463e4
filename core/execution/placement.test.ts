import { expect, test } from 'bun:test';
import { hasRoom, place } from './placement.ts';

const PROCESS = { name: 'default' };

test('an execution is dispatched to the chosen process while its endpoint has room', () => {
  for (const maxConcurrent of [undefined, 3])
    expect(place({ process: PROCESS, running: 2, maxConcurrent })).toEqual({
      kind: 'dispatch',
      process: PROCESS,
    });
});

test('an execution waits for an agent, and then for room', () => {
  expect(place({ process: undefined, running: 2, maxConcurrent: 2 })).toEqual({
    kind: 'wait',
    reason: 'no_agent',
  });
  expect(place({ process: PROCESS, running: 2, maxConcurrent: 2 })).toEqual({ kind: 'wait', reason: 'busy' });
});

test('the last slot is free until it is taken', () => {
  expect([0, 1, 2].map((running) => hasRoom(running, 1))).toEqual([true, false, false]);
});
