import { refuse } from '../refusal.ts';
import type { AssignableRole } from '../team/invite.ts';
import { may } from '../workspace/permissions.ts';

/** The most service accounts of a workspace that work. */
export const MAX_SERVICE_ACCOUNTS = 100;
/** The most keys of a service account that were not revoked. */
export const MAX_KEYS = 10;

/** A program with a role in a workspace (decision 81, service accounts). Times are epoch milliseconds, UTC. */
export interface ServiceAccount {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly role: AssignableRole;
  /** The user who created it; it does not end with their membership. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Undefined: it works. */
  readonly disabledAtMs: number | undefined;
}

/**
 * The slugs that a new key may call; undefined: all. A viewer may call nothing, so its keys have the empty list. Refuses with
 * `invalid_argument` when a key of a viewer is to call endpoints.
 */
export function scopeOfKey(
  { role }: Pick<ServiceAccount, 'role'>,
  wanted: readonly string[] | undefined,
): readonly string[] | undefined {
  if (may(role, 'endpoint.execute')) return wanted;
  if (wanted !== undefined)
    throw refuse(
      'invalid_argument',
      `endpoints: a service account with the role "${role}" calls no endpoints`,
    );
  return [];
}

/**
 * Whether a key acts with the role of its account, beside calls. A key that is limited to endpoints calls these and does nothing
 * else.
 */
export function actsWithRole(
  { role }: Pick<ServiceAccount, 'role'>,
  endpoints: readonly string[] | undefined,
): boolean {
  return endpoints === undefined || !may(role, 'endpoint.execute');
}
