import type { WireExecution } from '../../execution/wire-execution.ts';

/** A mark of the strip: how it ended by colour, how long it took by height. */
export interface StripMark {
  readonly id: string;
  readonly status: WireExecution['status'];
  readonly createdAt: string;
  /** Undefined: it has none, or not yet. */
  readonly durationMs: number | undefined;
  /** From 0 to 1. */
  readonly height: number;
}

/** What never ran, and what took no time, can still be seen. */
const LEAST = 0.08;

/** Marks from the oldest to the newest; heights grow with the logarithm, so that seconds and hours stand side by side. */
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
  if (durationMs === undefined) return LEAST;
  return Math.max(Math.log1p(durationMs) / Math.log1p(longestMs), LEAST);
}
