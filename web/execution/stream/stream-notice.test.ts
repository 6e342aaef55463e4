import { expect, test } from 'bun:test';
import { streamNotice } from './stream-notice.ts';

const LIVE = { kind: 'live' } as const;
const TIMED_OUT = { end: { kind: 'error', error: 'command timed out after 5 seconds' } } as const;
const DONE = { end: { kind: 'done', exitCode: 1, durationMs: 5 } } as const;

test.each([
  [TIMED_OUT, { start: 0, end: 9, cutLines: 0 }, 'command timed out after 5 seconds.'],
  [
    TIMED_OUT,
    { start: 0, end: 9, cutLines: 7 },
    'command timed out after 5 seconds. The output is cut in the middle.',
  ],
  [
    TIMED_OUT,
    { start: 1_000, end: 2_000, cutLines: 7 },
    'command timed out after 5 seconds. The output is cut in the middle. The first 1,000 lines are no longer shown.',
  ],
  [DONE, { start: 0, end: 0, cutLines: 0 }, 'No output; exit code 1.'],
  [DONE, { start: 0, end: 9, cutLines: 7 }, 'End of output, which is cut in the middle; exit code 1.'],
  [
    DONE,
    { start: 1_000, end: 2_000, cutLines: 0 },
    'End of output; exit code 1. The first 1,000 lines are no longer shown.',
  ],
])('the end of %j with the lines %j is said in words', (result, log, text) => {
  expect(streamNotice({ phase: LIVE, result, log }).text).toBe(text);
});
