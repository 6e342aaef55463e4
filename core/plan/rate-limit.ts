/** How many calls per minute (decision 26). */
export type PerMinute = number;

const MINUTE_MS = 60_000;

export type RateDecision =
  | { readonly kind: 'allowed'; readonly fullAtMs: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number };

/**
 * Whether one more call is within the rate: a bucket of a minute's calls that refills evenly (GCRA).
 *
 * One number is all that is kept of a caller: `fullAtMs`, when its bucket will be full again; undefined for a new one.
 */
export function allowCall(fullAtMs: number | undefined, nowMs: number, perMinute: PerMinute): RateDecision {
  const stepMs = MINUTE_MS / perMinute;
  const next = Math.max(fullAtMs ?? nowMs, nowMs) + stepMs;
  const earliestMs = next - MINUTE_MS;
  // A rest that floating point leaves must not refuse the last call of a minute.
  if (earliestMs - nowMs > 1e-3) return { kind: 'limited', retryAfterMs: earliestMs - nowMs };
  return { kind: 'allowed', fullAtMs: next };
}
