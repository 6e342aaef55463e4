import { limitedNetwork } from '../platform/http/limited-network.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';

export interface SignInLimitDeps {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly settings: Settings;
}

/** Per minute, from one address and for one e-mail or user (decision 26). */
const SIGN_INS_PER_MINUTE = 10;

/** Counts one more try of somebody to get in, or one more mail to bring them in; refuses when there were too many. */
export function limitSignIns({ settings, limiter }: SignInLimitDeps, who: string): void {
  const { signIn } = settings.rates;
  if (signIn !== 'off') limiter.take(`sign-in ${who}`, signIn ?? SIGN_INS_PER_MINUTE);
}

/** The same by the address that a request comes from. */
export function limitSignInsFrom(deps: SignInLimitDeps, request: Request): void {
  limitSignIns(deps, `address:${limitedNetwork(deps.addressOf(request))}`);
}
