import { refuse } from '../refusal.ts';

/**
 * The version that the sender has seen. A change based on it does not overwrite later ones (decision 33, the file is the
 * source of its endpoints).
 */
export interface ExpectedVersion {
  readonly ifMatch?: number | undefined;
  readonly version?: number | undefined;
}

/** Refuses a change that is based on an older version than the current one. */
export function refuseOtherVersion(
  what: 'endpoint' | 'pipeline',
  now: number,
  { ifMatch, version }: ExpectedVersion,
): void {
  if (ifMatch !== undefined && ifMatch !== now)
    throw refuse('precondition_failed', `If-Match: the ${what} has version ${now} now`, { version: now });
  if (version !== undefined && version !== now)
    throw refuse('version_conflict', `the ${what} has version ${now} now, not ${version}`, { version: now });
}
