import { Refusal } from '@svc/core/refusal';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';

interface LimitDeps {
  readonly limiter: RateLimiter;
  readonly settings: Pick<Settings, 'rates'>;
}

/** How many workspaces a person creates a day, and how many they delete, or `SVC_OWN_WORKSPACES` if that is more. */
const PER_DAY = 5;

/**
 * Limits how often a person creates or deletes a workspace, because each new one has a quota, and reserves a username for ever (decision
 * 103, several own workspaces). Work that is refused does not count. Refuses with `rate_limited`.
 *
 * @param email the address of the person: an account that was deleted and made again is another one, with the same address
 */
export async function limitPerDay<Result>(
  { limiter, settings }: LimitDeps,
  what: 'creation' | 'deletion',
  { email, ownWorkspaces }: { readonly email: string; readonly ownWorkspaces: number },
  work: () => Promise<Result>,
): Promise<Result> {
  if (settings.rates.signIn === 'off') return await work();
  const who = `${what} of workspaces by ${email}`;
  const perDay = Math.max(PER_DAY, ownWorkspaces);
  limiter.take(who, perDay, 'day');
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) limiter.giveBack(who, perDay, 'day');
    throw error;
  }
}
