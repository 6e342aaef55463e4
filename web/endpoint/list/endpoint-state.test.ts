import { expect, test } from 'bun:test';
import { endpointState } from './endpoint-state.ts';

test.each([
  ['online', true, 'failed', 'running'],
  ['offline', true, 'failed', 'running'],
  ['offline', false, 'succeeded', 'offline'],
  ['local_only', false, 'succeeded', 'offline'],
  ['online', false, 'failed', 'failed'],
  ['online', false, 'pending_approval', 'pending_approval'],
  ['online', false, undefined, undefined],
] as const)('of an agent that is %s, running: %p, last %p is %p', (agent, isRunning, last, state) => {
  expect(endpointState({ agent_status: agent }, { isRunning, last })).toBe(state);
});
