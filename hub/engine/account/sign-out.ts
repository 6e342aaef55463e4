import type { AuditSource } from '@svc/core/audit/entry';
import type { AccessToken, Member } from '../ports/accounts.ts';
import type { Ports } from '../ports.ts';

/** Ends the session or personal token that somebody acts with; `member` is the user in their own workspace. */
export function signOut(
  { credentials, clock }: Pick<Ports, 'credentials' | 'clock'>,
  { id, kind, workspaceId }: AccessToken,
  member: Member,
  by: AuditSource,
): Promise<void> {
  return credentials.endAccessToken(id, {
    ...by,
    workspaceId: workspaceId ?? member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.signed_out',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: { of: kind },
  });
}
