import type { HubContext } from '../context.ts';
import { limitedNetwork } from '../limited-network.ts';

/** Per minute, from one address and for one e-mail or user (decision 26). */
const SIGN_INS_PER_MINUTE = 10;

/** Counts one more try of somebody to get in, or one more mail to bring them in; refuses when there were too many. */
export function limitSignIns({ settings, limiter }: HubContext, who: string): void {
  const { signIn } = settings.rates;
  if (signIn !== 'off') limiter.take(`sign-in ${who}`, signIn ?? SIGN_INS_PER_MINUTE);
}

/** The same by the address that a request comes from. */
export function limitSignInsFrom(context: HubContext, request: Request): void {
  limitSignIns(context, `address:${limitedNetwork(context.addressOf(request))}`);
}
