import { refuse } from '@svc/core/refusal';
import type { Hubs } from './hub-ports.ts';

/** The migrations with which a hub began to enforce what a person switches on, or what a definition asks for. */
const ENFORCED_SINCE = {
  passkeyApproval: '0037',
  workspaceProvider: '0038',
  secondFactor: '0042',
  demandedSecondFactor: '0043',
} as const;

export interface OlderHubsDeps {
  readonly hubs: Pick<Hubs, 'without'>;
}

/**
 * Refuses with `unavailable` while a hub on this database is of a version that would not enforce what is switched on (decision 108, hubs
 * of an earlier version).
 */
export async function refuseOlderHubs(
  deps: OlderHubsDeps,
  since: keyof typeof ENFORCED_SINCE,
): Promise<void> {
  const problem = await olderHubsProblem(deps, since);
  if (problem !== undefined) throw refuse('unavailable', problem, { reason: 'older_hubs' });
}

/** Why it cannot be enforced now, for people; undefined when all hubs enforce it. */
export async function olderHubsProblem(
  { hubs }: OlderHubsDeps,
  since: keyof typeof ENFORCED_SINCE,
): Promise<string | undefined> {
  const older = await hubs.without(ENFORCED_SINCE[since]);
  if (older.length === 0) return undefined;
  return `${older.length} ${older.length === 1 ? 'hub' : 'hubs'} of an earlier version on this database would not enforce this: upgrade all hubs first, and try again a minute later`;
}
