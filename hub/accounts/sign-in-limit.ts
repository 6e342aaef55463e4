import { limitedNetwork } from '../platform/http/limited-network.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';

export interface SignInLimitDeps {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly settings: Settings;
}

/** Tries per minute from one IP address, and for one e-mail address or user (decision 26). */
const SIGN_INS_PER_MINUTE = 10;

/** Counts one more sign-in attempt or sign-in mail; refuses when there were too many. */
export function limitSignIns({ settings, limiter }: SignInLimitDeps, who: string): void {
  const { signIn } = settings.rates;
  if (signIn !== 'off') limiter.take(`sign-in ${who}`, signIn ?? SIGN_INS_PER_MINUTE);
}

/** Limits sign-ins by the IP address of the request. */
export function limitSignInsFrom(deps: SignInLimitDeps, request: Request): void {
  limitSignIns(deps, `address:${limitedNetwork(deps.addressOf(request))}`);
}
