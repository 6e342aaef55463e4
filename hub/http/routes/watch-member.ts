import { SIGNED_IN } from '@svc/core/api/contract/access';
import { may, type Permission } from '@svc/core/workspace/permissions';
import type { HubContext } from '../context.ts';
import { type Acting, acting } from './identity.ts';
import type { Watch } from './watch-caller.ts';

/**
 * For answers to a member that go on for long: they end when the credential does, when the member is removed, or when the
 * role is another one (decision 44).
 */
export function watchMember(
  context: HubContext,
  request: Request,
  before: Acting,
  permission: Permission,
): Watch {
  const isAllowed = async () => {
    const now = await acting(context, request, SIGNED_IN);
    return (
      now?.workspace.id === before.workspace.id &&
      now.member.role === before.member.role &&
      may(now.member.role, permission)
    );
  };
  return (end) => context.openStreams.open(isAllowed, end);
}
