import type { ExecutionState } from '@svc/core/execution/state';
import type { Answer } from '../../api/read.ts';
import { grouped } from '../../design/text/grouped.ts';

export type ExecutionStats = Answer<'countExecutions'>;

/** The series of a chart: one entry per time bucket, the oldest first. */
export interface ChartData {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  /** Waiting, running, cancelled or never ran. */
  readonly others: readonly number[];
  /** Milliseconds; null where nothing ran. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
}

const FAILED: readonly ExecutionState[] = ['failed', 'timed_out', 'lost'];

export function chartData({ buckets }: Pick<ExecutionStats, 'buckets'>): ChartData {
  return {
    times: buckets.map(({ from }) => Date.parse(from) / 1000),
    succeeded: buckets.map(({ states }) => states.succeeded ?? 0),
    failed: buckets.map(({ states }) => count(states, (state) => FAILED.includes(state))),
    others: buckets.map(({ states }) =>
      count(states, (state) => state !== 'succeeded' && !FAILED.includes(state)),
    ),
    p50: buckets.map(({ duration_ms: ms }) => ms?.p50 ?? null),
    p95: buckets.map(({ duration_ms: ms }) => ms?.p95 ?? null),
  };
}

/** The states beside success and failure, in the words of a summary. */
const OTHER_STATES: readonly (readonly [word: string, states: readonly ExecutionState[]])[] = [
  ['running', ['running']],
  ['waiting', ['queued', 'pending_approval']],
  ['cancelled', ['cancelled']],
  ['never ran', ['denied', 'expired', 'missed', 'rejected']],
];

/** The figures in words, above the chart and for screen readers: "12 executions, 1 failed, 3 waiting". */
export function chartWords(buckets: ExecutionStats['buckets']): string {
  const total = (of: (state: ExecutionState) => boolean) =>
    buckets.reduce((sum, { states }) => sum + count(states, of), 0);
  const all = total(() => true);
  if (all === 0) return 'no executions';
  const failed = total((state) => FAILED.includes(state));
  const others = OTHER_STATES.map(
    ([word, states]) => [word, total((state) => states.includes(state))] as const,
  );
  return [
    `${grouped(all)} ${all === 1 ? 'execution' : 'executions'}`,
    failed === 0 ? 'none failed' : `${grouped(failed)} failed`,
    ...others.filter(([, many]) => many > 0).map(([word, many]) => `${grouped(many)} ${word}`),
  ].join(', ');
}

function count(
  states: Partial<Record<ExecutionState, number>>,
  of: (state: ExecutionState) => boolean,
): number {
  return Object.entries(states).reduce(
    (sum, [state, many]) => sum + (of(state as ExecutionState) ? (many ?? 0) : 0),
    0,
  );
}

const DAY_SEC = 86_400;

/** A tick of the axis in UTC: the time of day, or the date where a day begins. */
export function timeWords(sec: number, stepSec: number): string {
  const [date = '', time = ''] = new Date(sec * 1000).toISOString().split('T');
  return stepSec >= DAY_SEC || sec % DAY_SEC === 0 ? date.slice(5) : time.slice(0, 5);
}

/** A time that was picked on the chart, in UTC: "11-20 10:00 to 11:00"; undefined: none was. */
export function pickedWords(from: string | undefined, until: string | undefined): string | undefined {
  if (from === undefined && until === undefined) return undefined;
  const words = (at: string) => new Date(at).toISOString().slice(5, 16).replace('T', ' ');
  if (until === undefined) return `since ${words(from ?? '')} UTC`;
  if (from === undefined) return `before ${words(until)} UTC`;
  const [begin, end] = [words(from), words(until)];
  return `${begin} to ${begin.slice(0, 5) === end.slice(0, 5) ? end.slice(6) : end} UTC`;
}

/** The whole buckets that two moments of the axis are in, or that one moment is in; in epoch seconds. */
export function pickedBuckets(times: readonly number[], oneSec: number, otherSec: number) {
  const [first = 0] = times;
  const bucketSec = bucketOfTimes(times);
  const bucketOf = (sec: number) => Math.floor((sec - first) / bucketSec);
  const from = first + bucketOf(Math.min(oneSec, otherSec)) * bucketSec;
  const until = first + (bucketOf(Math.max(oneSec, otherSec)) + 1) * bucketSec;
  return { from: new Date(from * 1_000).toISOString(), until: new Date(until * 1_000).toISOString() };
}

/** The end of the last bucket, in epoch seconds. */
export function endOf(times: readonly number[]): number {
  return (times.at(-1) ?? 0) + bucketOfTimes(times);
}

function bucketOfTimes([first = 0, second = first + 3_600]: readonly number[]): number {
  return second - first;
}
