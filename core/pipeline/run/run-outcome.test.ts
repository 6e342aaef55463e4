import { expect, test } from 'bun:test';
import { runOutcome } from './run-outcome.ts';
import type { NodeRecord } from './state.ts';

const record = (how: Partial<NodeRecord>): NodeRecord => ({
  id: 'build',
  state: 'failed',
  attempt: 1,
  undecided: 0,
  arrived: 1,
  arrivedFailed: 0,
  ...how,
});
const stopped = { state: 'failed', stoppedBy: 'build' } as const;

test.each([
  [{ state: 'succeeded' }, undefined, { kind: 'result', exitCode: 0 }],
  [{ state: 'cancelled' }, undefined, { kind: 'failure', error: 'the run was cancelled' }],
  [{ state: 'failed' }, undefined, { kind: 'failure', error: 'the run failed' }],
  [
    stopped,
    record({ outcome: 'failed', result: { exitCode: 3 } }),
    { kind: 'result', exitCode: 3, step: 'build' },
  ],
  // A transform that failed: its command ended well, and there is no result all the same.
  [
    stopped,
    record({ outcome: 'failed', result: { exitCode: 0 }, error: 'no JSON' }),
    { kind: 'failure', error: 'step "build": no JSON', step: 'build' },
  ],
  [
    stopped,
    record({ outcome: 'denied' }),
    { kind: 'failure', error: 'step "build": it was denied', step: 'build' },
  ],
] as const)('a run %j ends for its caller as what stopped it did', (head, node, outcome) => {
  expect(runOutcome(head, node)).toEqual(outcome);
});
