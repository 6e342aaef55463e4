import type { ExecutionState } from '@svc/core/execution/state';
import type { Answer } from '../../api/read.ts';

export type ExecutionStats = Answer<'countExecutions'>;

/** What a chart draws: one entry for each piece of time, the oldest first. */
export interface ChartData {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  /** Never ran, still run, or were stopped by somebody. */
  readonly others: readonly number[];
  /** Milliseconds; null where nothing ran. */
  readonly half: readonly (number | null)[];
  readonly most: readonly (number | null)[];
}

const FAILED: readonly ExecutionState[] = ['failed', 'timed_out', 'lost'];

export function chartData({ buckets }: Pick<ExecutionStats, 'buckets'>): ChartData {
  const count = (states: Partial<Record<ExecutionState, number>>, of: (state: ExecutionState) => boolean) =>
    Object.entries(states).reduce(
      (sum, [state, many]) => sum + (of(state as ExecutionState) ? (many ?? 0) : 0),
      0,
    );
  return {
    times: buckets.map(({ from }) => Date.parse(from) / 1000),
    succeeded: buckets.map(({ states }) => states.succeeded ?? 0),
    failed: buckets.map(({ states }) => count(states, (state) => FAILED.includes(state))),
    others: buckets.map(({ states }) =>
      count(states, (state) => state !== 'succeeded' && !FAILED.includes(state)),
    ),
    half: buckets.map(({ duration_ms: ms }) => ms?.p50 ?? null),
    most: buckets.map(({ duration_ms: ms }) => ms?.p95 ?? null),
  };
}

/** The figures in words, for those who do not see the chart, and above it. */
export function chartWords({ succeeded, failed, others }: ChartData): string {
  const [good, bad, rest] = [sum(succeeded), sum(failed), sum(others)];
  const all = good + bad + rest;
  if (all === 0) return 'nothing ran';
  const parts = [
    `${all.toLocaleString('en')} ${all === 1 ? 'execution' : 'executions'}`,
    bad === 0 ? 'none failed' : `${bad.toLocaleString('en')} failed`,
    rest === 0 ? '' : `${rest.toLocaleString('en')} did not run to their end`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

const DAY_SEC = 86_400;

/** A tick of the axis, in UTC: the time of day, and where a day begins its date. */
export function timeWords(sec: number, stepSec: number): string {
  const [date = '', time = ''] = new Date(sec * 1000).toISOString().split('T');
  return stepSec >= DAY_SEC || sec % DAY_SEC === 0 ? date.slice(5) : time.slice(0, 5);
}
