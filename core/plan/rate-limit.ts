/** The time in which a whole bucket refills. */
export type RatePeriod = 'minute' | 'day';

const PERIOD_MS = { minute: 60_000, day: 24 * 60 * 60_000 } as const;

export type RateDecision =
  | { readonly kind: 'allowed'; readonly fullAtMs: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number };

/**
 * Whether one more call is within the rate. The bucket has the calls of a period and refills evenly (GCRA).
 *
 * The only state of a caller is `fullAtMs`, the time at which its bucket is full again; undefined for a new one.
 */
export function allowCall(
  fullAtMs: number | undefined,
  nowMs: number,
  limit: number,
  period: RatePeriod = 'minute',
): RateDecision {
  const next = Math.max(fullAtMs ?? nowMs, nowMs) + stepMs(limit, period);
  const earliestMs = next - PERIOD_MS[period];
  // A rounding error must not refuse the last call of a period.
  if (earliestMs - nowMs > 1e-3) return { kind: 'limited', retryAfterMs: earliestMs - nowMs };
  return { kind: 'allowed', fullAtMs: next };
}

/** The time after which one more call is allowed. */
export function stepMs(limit: number, period: RatePeriod): number {
  return PERIOD_MS[period] / limit;
}

/** The rest of a caller's rate, for `RateLimit-*` headers. */
export interface RateLeft {
  readonly limit: number;
  /** The calls that are allowed at once. */
  readonly remaining: number;
  /** Seconds until the whole limit is there again. */
  readonly resetSec: number;
}

/** The rest after a call that was allowed. */
export function rateLeft(
  fullAtMs: number,
  nowMs: number,
  limit: number,
  period: RatePeriod = 'minute',
): RateLeft {
  const untilFullMs = Math.max(0, fullAtMs - nowMs);
  const used = Math.ceil((untilFullMs - 1e-3) / stepMs(limit, period));
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetSec: Math.ceil(untilFullMs / 1000),
  };
}
