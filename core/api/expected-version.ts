import { refuse } from '../refusal.ts';

/**
 * Which version the sender has seen: what is changed meanwhile is not overwritten (decision 33, the file is the source of
 * its endpoints).
 */
export interface ExpectedVersion {
  readonly ifMatch?: number | undefined;
  readonly version?: number | undefined;
}

/** Refuses a change that was meant for another version than there is now. */
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
