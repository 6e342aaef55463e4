/** The calls per minute (decision 26, limits). */
export type PerMinute = number;

const MINUTE_MS = 60_000;

export type RateDecision =
  | { readonly kind: 'allowed'; readonly fullAtMs: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number };

/**
 * Whether one more call is within the rate. The bucket has the calls of a minute and refills evenly (GCRA).
 *
 * The only state of a caller is `fullAtMs`, the time at which its bucket is full again; undefined for a new one.
 */
export function allowCall(fullAtMs: number | undefined, nowMs: number, perMinute: PerMinute): RateDecision {
  const stepMs = MINUTE_MS / perMinute;
  const next = Math.max(fullAtMs ?? nowMs, nowMs) + stepMs;
  const earliestMs = next - MINUTE_MS;
  // A rounding error must not refuse the last call of a minute.
  if (earliestMs - nowMs > 1e-3) return { kind: 'limited', retryAfterMs: earliestMs - nowMs };
  return { kind: 'allowed', fullAtMs: next };
}

/** The rest of a caller's rate, for `RateLimit-*` headers. */
export interface RateLeft {
  readonly limit: PerMinute;
  /** The calls that are allowed at once. */
  readonly remaining: number;
  /** Seconds until the whole limit is there again. */
  readonly resetSec: number;
}

/** The rest after a call that was allowed. */
export function rateLeft(fullAtMs: number, nowMs: number, perMinute: PerMinute): RateLeft {
  const untilFullMs = Math.max(0, fullAtMs - nowMs);
  const used = Math.ceil((untilFullMs - 1e-3) / (MINUTE_MS / perMinute));
  return {
    limit: perMinute,
    remaining: Math.max(0, perMinute - used),
    resetSec: Math.ceil(untilFullMs / 1000),
  };
}
