import { refuse } from '@svc/core/refusal';
import type { Hubs } from './hub-ports.ts';

/** The migrations with which a hub began to enforce what a person switches on. */
const ENFORCED_SINCE = {
  workspaceProvider: '0038',
  secondFactor: '0042',
  demandedSecondFactor: '0043',
} as const;

/**
 * Refuses with `unavailable` while a hub on this database is of a version that would not enforce what is switched on (decision 108, hubs
 * of an earlier version).
 */
export async function refuseOlderHubs(
  { hubs }: { readonly hubs: Pick<Hubs, 'without'> },
  since: keyof typeof ENFORCED_SINCE,
): Promise<void> {
  const older = await hubs.without(ENFORCED_SINCE[since]);
  if (older.length === 0) return;
  throw refuse(
    'unavailable',
    `${older.length} ${older.length === 1 ? 'hub' : 'hubs'} of an earlier version on this database would not enforce this: upgrade all hubs first, and try again a minute later`,
    { reason: 'older_hubs' },
  );
}
