import { expect, test } from 'bun:test';
import { EXECUTION_NEXT, EXECUTION_STATES, hasEnded, statesBefore } from './state.ts';

test('an ended state is final, except `lost`', () => {
  for (const state of EXECUTION_STATES.filter(hasEnded))
    expect(EXECUTION_NEXT[state].length).toBe(state === 'lost' ? 4 : 0);
  expect(EXECUTION_STATES.filter((state) => !hasEnded(state))).toEqual([
    'pending_approval',
    'queued',
    'running',
  ]);
});

test('nothing that may have started is started again', () => {
  expect(statesBefore('running')).toEqual(['queued']);
  expect(statesBefore('queued')).toEqual(['pending_approval']);
});

test('the states before and the states after are one table', () => {
  for (const from of EXECUTION_STATES) {
    for (const to of EXECUTION_STATES) {
      expect(statesBefore(to).includes(from)).toBe((EXECUTION_NEXT[from] as readonly string[]).includes(to));
    }
  }
});
