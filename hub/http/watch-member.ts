import { SIGNED_IN } from '@svc/core/api/contract/access';
import { may, type Permission } from '@svc/core/workspace/permissions';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { type Acting, acting, type IdentityDeps } from './identity.ts';
import type { Watch } from './watch-caller.ts';

export interface WatchMemberDeps extends IdentityDeps {
  readonly openStreams: OpenStreams;
}

/**
 * Watches the member of a long response. It ends when the credential ends, the member is removed, or the
 * role changes (decision 44).
 */
export function watchMember(
  deps: WatchMemberDeps,
  request: Request,
  before: Acting,
  permission: Permission,
): Watch {
  const isAllowed = async () => {
    const now = await acting(deps, request, SIGNED_IN);
    return (
      now?.workspace.id === before.workspace.id &&
      now.member.role === before.member.role &&
      may(now.member.role, permission)
    );
  };
  return (end) => deps.openStreams.open(isAllowed, end);
}
