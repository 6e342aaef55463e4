import { expect, test } from 'bun:test';
import { endpointState } from './endpoint-state.ts';

test.each([
  ['online', true, ['failed'], 'running'],
  ['offline', true, ['failed'], 'running'],
  ['offline', false, ['succeeded'], 'offline'],
  ['local_only', false, ['succeeded'], 'offline'],
  ['online', false, ['failed', 'succeeded'], 'failed'],
  ['online', false, ['pending_approval'], 'pending_approval'],
  ['online', false, [], undefined],
  ['online', undefined, ['succeeded', 'running'], 'running'],
  ['offline', undefined, ['running'], 'running'],
  ['online', undefined, ['failed'], 'failed'],
] as const)('of an agent that is %s, running: %p, last %j is %p', (agent, isRunning, last, state) => {
  expect(endpointState({ agent_status: agent }, { isRunning, last })).toBe(state);
});
