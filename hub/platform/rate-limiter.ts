import { allowCall, type RateLeft, type RatePeriod, rateLeft, stepMs } from '@svc/core/plan/rate-limit';
import { refuse } from '@svc/core/refusal';
import type { Clock } from './world.ts';

const SWEEP_AT = 100_000;

/** The counts are per hub. With several hubs a caller may reach several times the rate, and each hub is still protected. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #fullAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one call and returns what is left; undefined without a limit. Refuses with `rate_limited`. */
  take(who: string, limit: number | undefined, period: RatePeriod = 'minute'): RateLeft | undefined {
    if (limit === undefined) return undefined;
    const nowMs = this.#clock.nowMs();
    const decision = allowCall(this.#fullAtMs.get(who), nowMs, limit, period);
    if (decision.kind === 'allowed') {
      if (this.#fullAtMs.size >= SWEEP_AT) this.#sweep(nowMs);
      this.#fullAtMs.set(who, decision.fullAtMs);
      return rateLeft(decision.fullAtMs, nowMs, limit, period);
    }
    throw refuse('rate_limited', `more than ${limit} a ${period}`, {
      limit,
      retry_after_s: Math.max(1, Math.ceil(decision.retryAfterMs / 1000)),
    });
  }

  /** Takes one call back that was allowed and did nothing. */
  giveBack(who: string, limit: number, period: RatePeriod): void {
    const fullAtMs = this.#fullAtMs.get(who);
    if (fullAtMs !== undefined) this.#fullAtMs.set(who, fullAtMs - stepMs(limit, period));
  }

  /** A full bucket is the same as a new one, so it is removed. */
  #sweep(nowMs: number): void {
    for (const [who, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(who);
  }
}
