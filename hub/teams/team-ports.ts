import type { AuditEntry } from '@svc/core/audit/entry';
import type { AssignableRole, Invite } from '@svc/core/team/invite';
import type { Team } from '@svc/core/team/team';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';

/** What was decided about a team, to be stored whole. */
export type TeamChange =
  | { readonly kind: 'invited' | 'resent'; readonly invite: Invite; readonly mail: OutgoingMail }
  | { readonly kind: 'withdrawn'; readonly invite: Invite }
  | { readonly kind: 'joined'; readonly invite: Invite; readonly userId: string; readonly atMs: number }
  | {
      readonly kind: 'role_changed';
      readonly userId: string;
      readonly role: AssignableRole;
      readonly mail: OutgoingMail;
      readonly atMs: number;
    }
  | {
      readonly kind: 'removed';
      readonly userId: string;
      readonly mail: OutgoingMail | undefined;
      readonly atMs: number;
    };

/** Members and invitations of a workspace: decided on one revision, stored if it is still that one. */
export interface Teams {
  load(workspaceId: string): Promise<Team | undefined>;
  invite(id: string): Promise<Invite | undefined>;
  /** Whether somebody waits for this address, in whatever workspace. */
  isInvited(email: string, nowMs: number): Promise<boolean>;
  /**
   * The change, its mail and its entry in the audit log in one transaction, with all that follows from it: a removal ends
   * sessions, access tokens and API keys, a new role sessions and access tokens (reference 3.4, decision 44).
   * False, and nothing is stored, when the team is not as it was loaded.
   */
  store(team: Team, change: TeamChange, entry: AuditEntry): Promise<boolean>;
}
