import { describe, expect, test } from 'bun:test';
import type { WireEnding } from '../protocol/frame.ts';
import { endedBy, lostBecause, outcomeOf, rejectedBecause } from './outcome.ts';

const exited = (exit_code: number, more: object = {}) =>
  ({ kind: 'exited', exit_code, duration_ms: 7, ...more }) as WireEnding;

describe('a command that exited', () => {
  test.each([
    [0, 'succeeded'],
    [3, 'failed'],
    [137, 'failed'],
  ] as const)('with %p is %p, and its exit code is the result', (code, state) => {
    const ended = endedBy(exited(code), 60);
    expect(ended).toMatchObject({
      state,
      exitCode: code,
      durationMs: 7,
      error: undefined,
      errorCode: undefined,
    });
    expect(outcomeOf(ended)).toEqual({ kind: 'result', exitCode: code, durationMs: 7, data: undefined });
  });

  test('has data only where its transform produced some', () => {
    expect(endedBy(exited(0, { transformed: { kind: 'data' } }), 60, '{"a":1}').data).toBe('{"a":1}');
    expect(endedBy(exited(1, { transformed: { kind: 'skipped' } }), 60, 'left over').data).toBeUndefined();
  });

  test('and whose transform failed has failed, for the reason', () => {
    const ended = endedBy(exited(0, { transformed: { kind: 'failed', reason: 'line 3' } }), 60);
    expect([ended.state, ended.errorCode, ended.error]).toEqual([
      'failed',
      'transform_failed',
      'the output could not be transformed: line 3',
    ]);
  });
});

test.each([
  [{ kind: 'timed_out', duration_ms: 5 }, 'timed_out', 'timeout', 'command timed out after 5 seconds'],
  [{ kind: 'cancelled', duration_ms: 5 }, 'cancelled', 'cancelled', 'the command was cancelled'],
  [
    { kind: 'not_started', reason: 'other', message: 'why' },
    'failed',
    'spawn_failed',
    'the command could not be started: why',
  ],
  [{ kind: 'lost', message: 'gone' }, 'lost', 'lost', 'gone'],
  [
    { kind: 'refused', reason: 'local_only', code: 'agent_refused', message: 'no' },
    'rejected',
    'agent_refused',
    'no',
  ],
  [
    { kind: 'refused', reason: 'bad_values', code: 'invalid_argument', message: 'no' },
    'rejected',
    'invalid_argument',
    'no',
  ],
  [
    { kind: 'refused', reason: 'busy', code: 'a_newer_word', message: 'no' },
    'rejected',
    'agent_refused',
    'no',
  ],
] as const)('%p is %p with the code %p', (ending, state, code, message) => {
  const ended = endedBy(ending as WireEnding, 5);
  expect([ended.state, ended.errorCode, ended.error]).toEqual([state, code, message]);
  const outcome = outcomeOf(ended);
  expect(outcome.kind === 'failure' && [outcome.refusal.code, outcome.refusal.message]).toEqual([
    code,
    message,
  ]);
});

test('decisions of the hub are read back in the same way', () => {
  for (const ended of [lostBecause('away'), rejectedBecause('hub_restart', 'unavailable', 'restarted')])
    expect(outcomeOf(ended)).toMatchObject({
      kind: 'failure',
      refusal: { code: ended.errorCode, message: ended.error },
    });
});
