import { describe, expect, test } from 'bun:test';
import type { WireExecution } from '../../execution/wire-execution.ts';
import { stripMarks } from './history-strip.ts';

const execution = (id: string, duration_ms?: number) =>
  ({
    execution_id: id,
    status: 'succeeded',
    created_at: '2026-11-20T12:00:00.000Z',
    duration_ms,
  }) as WireExecution;

describe('the strip of a history', () => {
  test('goes from the oldest to the newest, the longest the highest', () => {
    const marks = stripMarks([execution('c', 60_000), execution('b', 1_000), execution('a')]);
    expect(marks.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const heights = marks.map(({ height }) => height);
    expect(heights).toEqual(heights.toSorted((one, other) => one - other));
    expect(heights.at(-1)).toBe(1);
  });

  test('shows also what took no time', () => {
    const heights = stripMarks([execution('a', 0), execution('b')]).map(({ height }) => height);
    for (const height of heights) expect(height).toBeGreaterThan(0);
  });
});
