import type { WireExecution } from '../../execution/wire-execution.ts';

/** A bar of the strip: colour for the state, height for the duration. */
export interface StripMark {
  readonly id: string;
  readonly status: WireExecution['status'];
  readonly createdAt: string;
  /** Undefined: the execution has not ended, or never started. */
  readonly durationMs: number | undefined;
  /** From 0 to 1. */
  readonly height: number;
}

/** Keeps bars without a duration visible. */
const MIN_HEIGHT = 0.08;

/** Bars from the oldest to the newest. Heights are logarithmic, so that seconds and hours fit in one strip. */
export function stripMarks(executions: readonly WireExecution[]): StripMark[] {
  const longest = Math.max(1, ...executions.map(({ duration_ms: ms }) => ms ?? 0));
  return executions
    .map((one) => ({
      id: one.execution_id,
      status: one.status,
      createdAt: one.created_at,
      durationMs: one.duration_ms,
      height: heightOf(one.duration_ms, longest),
    }))
    .toReversed();
}

function heightOf(durationMs: number | undefined, longestMs: number): number {
  if (durationMs === undefined) return MIN_HEIGHT;
  return Math.max(Math.log1p(durationMs) / Math.log1p(longestMs), MIN_HEIGHT);
}
