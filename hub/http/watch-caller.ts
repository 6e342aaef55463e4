import type { RouteAccess } from '@svc/core/api/contract/access';
import type { Caller } from '@svc/core/execution/access';
import { may } from '@svc/core/workspace/permissions';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { type Principal, type PrincipalDeps, principalOf, rightsOf } from './principal.ts';

interface WatchCallerDeps {
  readonly openStreams: OpenStreams;
}

/** Calls back when a response must end although its execution continues; the returned function unregisters it. */
export type Watch = (end: () => void) => () => void;

export const REVOKED = 'the credentials of this request no longer work; the execution continues';

/**
 * Watches the credential of a long response. The response ends when the credential does (decision 44, sign-in).
 *
 * @param identify checks the credential again
 */
export function watchCaller(
  { openStreams }: WatchCallerDeps,
  caller: Caller,
  identify: () => Caller | Promise<Caller>,
  isAllowed: (caller: Caller) => boolean,
): Watch | undefined {
  if (caller.kind === 'anonymous') return undefined;
  return (end) => openStreams.open(async () => isAllowed(await identify()), end);
}

export interface WatchMemberDeps extends PrincipalDeps {
  readonly openStreams: OpenStreams;
}

/**
 * Watches the member or service account of a long response. It ends when the credential ends, the member is removed, or the
 * role or the rights on endpoints change (decision 44, sign-in).
 */
export function watchMember(
  deps: WatchMemberDeps,
  request: Request,
  before: Principal,
  { permission, credentials }: Extract<RouteAccess, { kind: 'member' | 'principal' }>,
): Watch {
  const isAllowed = async () => {
    const now = await principalOf(deps, request, credentials);
    return (
      now?.workspace.id === before.workspace.id &&
      now.member.role === before.member.role &&
      may(now.member.role, permission) &&
      (await rightsOf(deps, now))?.text === before.rights?.text
    );
  };
  return (end) => deps.openStreams.open(isAllowed, end);
}
