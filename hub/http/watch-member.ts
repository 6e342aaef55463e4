import { SIGNED_IN } from '@svc/core/api/contract/access';
import { may, type Permission } from '@svc/core/workspace/permissions';
import type { KeyUse } from '../accounts/key-use.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { type Acting, acting } from './identity.ts';
import type { Watch } from './watch-caller.ts';

export interface WatchMemberDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

/**
 * For answers to a member that go on for long: they end when the credential does, when the member is removed, or when the
 * role is another one (decision 44).
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
