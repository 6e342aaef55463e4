import { hasEnded } from '@svc/core/execution/state';
import type { WireExecution } from '../../execution/wire-execution.ts';

/** The figures of an endpoint from its last executions. */
export interface RecentFigures {
  /** From 0 to 1, of those that ran to an end; undefined: none did. */
  readonly successRate: number | undefined;
  /** 95 of 100 took at most this long; undefined: none ran to an end. */
  readonly p95Ms: number | undefined;
  /** RFC 3339. */
  readonly lastAt: string | undefined;
}

const RAN: readonly WireExecution['status'][] = ['succeeded', 'failed', 'timed_out', 'lost'];

/** @param executions newest first */
export function recentFigures(executions: readonly WireExecution[]): RecentFigures {
  const ran = executions.filter(({ status }) => hasEnded(status) && RAN.includes(status));
  const durations = ran.flatMap(({ duration_ms: ms }) => ms ?? []).toSorted((one, other) => one - other);
  const good = ran.filter(({ status }) => status === 'succeeded').length;
  return {
    successRate: ran.length === 0 ? undefined : good / ran.length,
    p95Ms: durations[Math.max(0, Math.ceil(durations.length * 0.95) - 1)],
    lastAt: executions[0]?.created_at,
  };
}

/** "97 %"; only a rate without any failure is 100 %. */
export function rateWords(rate: number): string {
  return `${Math.floor(rate * 100)} %`;
}
