import type { Caller } from '@svc/core/execution/access';
import { isAccepted } from '@svc/core/oauth/resource';
import { cutByRole, readScopes } from '@svc/core/oauth/scopes';
import { ANONYMOUS, type KeyUse, type RightsDeps, withRights } from '../accounts/identify.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { Clock } from '../platform/world.ts';
import type { Grants } from './store/grant-store.ts';

export interface IdentifyClientDeps extends RightsDeps {
  readonly grants: Pick<Grants, 'byToken'>;
  readonly clock: Clock;
  readonly keyUse: Pick<KeyUse, 'note'>;
}

/**
 * The AI client that an access token identifies, with its scopes cut to the present role of the user who granted them. A token
 * for another resource identifies no caller (RFC 8707).
 *
 * @param resource the URI that the request is for
 */
export async function identifyClient(
  { grants, clock, keyUse, ...deps }: IdentifyClientDeps,
  token: string,
  resource: string,
): Promise<Caller> {
  const found = await grants.byToken(hashToken(token));
  const nowMs = clock.nowMs();
  if (found === undefined || found.token.kind !== 'access' || found.token.expiresAtMs <= nowMs)
    return ANONYMOUS;
  const { grant, role } = found;
  if (grant.isRevoked || grant.state !== 'active' || role === undefined) return ANONYMOUS;
  if (!isAccepted(grant.resource, resource)) return ANONYMOUS;
  keyUse.note({ id: grant.id, usedAtMs: grant.usedAtMs }, nowMs);
  const { run, read } = cutByRole(readScopes(grant.scopes), role);
  const caller = {
    kind: 'api_key',
    id: grant.id,
    workspaceId: grant.workspaceId,
    endpoints: run === 'all' ? undefined : run,
    readsAll: read,
    granted: grant.scopes,
  } as const;
  return withRights(deps, caller, { kind: 'member', id: grant.userId, role });
}
