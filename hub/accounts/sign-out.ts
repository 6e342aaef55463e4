import type { AuditSource } from '@svc/core/audit/entry';
import type { Clock } from '../platform/world.ts';
import type { AccessToken, Member } from './account-ports.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Credentials } from './store/credentials.ts';

type SignOutPorts = { readonly credentials: Credentials; readonly clock: Clock } & {
  readonly openStreams: Pick<OpenStreams, 'review'>;
};

/** Ends a session or personal access token and its streams. `member` is its user in their own workspace. */
export async function signOut(
  { credentials, clock, openStreams }: SignOutPorts,
  { id, kind, workspaceId }: AccessToken,
  member: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endAccessToken(id, {
    ...by,
    workspaceId: workspaceId ?? member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.signed_out',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: { of: kind },
  });
  await openStreams.review();
}

/** Ends all sessions and access tokens of a user (decision 44). `member` is the user in their own workspace. */
export async function signOutEverywhere(
  { credentials, clock, openStreams }: SignOutPorts,
  member: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endAllOfUser(member.userId, {
    ...by,
    workspaceId: member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.signed_out_everywhere',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: {},
  });
  await openStreams.review();
}
