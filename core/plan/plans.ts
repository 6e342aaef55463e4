import { LIMITS } from './limits.ts';

export const PLANS = ['free', 'pro', 'team', 'unlimited'] as const;
export type Plan = (typeof PLANS)[number];

/**
 * What a plan allows; undefined means no limit (reference 8, decision 46, plans and quotas, and decision 50, the queue of
 * the hosted runner).
 */
export interface PlanLimits {
  readonly executionsPerMonth: number | undefined;
  readonly seats: number | undefined;
  readonly schedules: number | undefined;
  /** Pipeline runs that have not ended. Every plan has a limit, because the hub keeps each of them in memory. */
  readonly openRuns: number;
  /** The bytes of all stored artifacts together. */
  readonly artifactBytes: number | undefined;
  /** Artifacts are removed after so many days; undefined: with the record of their execution (`LIMITS.recordsKeptDays`). */
  readonly artifactDays: number | undefined;
  /** Undefined: the plan has no hosted runner. */
  readonly hosted: HostedLimits | undefined;
  /**
   * Calls per minute and API key, and per minute and address on public URLs; undefined: not limited (decision 26, limits).
   */
  readonly callsPerMinutePerKey: number | undefined;
  readonly publicCallsPerMinutePerAddress: number | undefined;
  /** The longest body that a command reads from stdin, whatever its endpoint allows (decision 73, the body as standard input). */
  readonly stdinBytes: number;
}

export interface HostedLimits {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly timeoutSec: number;
  readonly concurrent: number;
  readonly executionsPerMonth: number;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const PRO_HOSTED = {
  vcpus: 1,
  memoryBytes: 512 * MIB,
  timeoutSec: 120,
  concurrent: 5,
  executionsPerMonth: 5_000,
};
const TEAM_HOSTED = {
  vcpus: 2,
  memoryBytes: 2_048 * MIB,
  timeoutSec: 300,
  concurrent: 20,
  executionsPerMonth: 50_000,
};
const RATES = { callsPerMinutePerKey: 600, publicCallsPerMinutePerAddress: 60 };

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: {
    executionsPerMonth: 1_000,
    seats: 1,
    schedules: 0,
    openRuns: 20,
    artifactBytes: GIB,
    artifactDays: 7,
    hosted: undefined,
    stdinBytes: 100 * MIB,
    ...RATES,
  },
  pro: {
    executionsPerMonth: 50_000,
    seats: 1,
    schedules: 3,
    openRuns: 200,
    artifactBytes: 10 * GIB,
    artifactDays: undefined,
    hosted: PRO_HOSTED,
    stdinBytes: 1_024 * MIB,
    ...RATES,
  },
  team: {
    executionsPerMonth: 500_000,
    seats: 3,
    schedules: undefined,
    openRuns: 2_000,
    artifactBytes: 100 * GIB,
    artifactDays: undefined,
    hosted: TEAM_HOSTED,
    stdinBytes: 2_048 * MIB,
    ...RATES,
  },
  unlimited: {
    executionsPerMonth: undefined,
    seats: undefined,
    schedules: undefined,
    openRuns: 10_000,
    artifactBytes: undefined,
    artifactDays: undefined,
    hosted: TEAM_HOSTED,
    stdinBytes: LIMITS.maxStdinBytes,
    callsPerMinutePerKey: undefined,
    publicCallsPerMinutePerAddress: undefined,
  },
};

/** The quota period of a time: `2026-11`, UTC. */
export function quotaPeriod(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

/** The same for the separate count of the hosted runner. */
export function hostedPeriod(atMs: number): string {
  return `${quotaPeriod(atMs)} hosted`;
}

/** The start of the next period after `atMs`. */
export function nextPeriodMs(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}
