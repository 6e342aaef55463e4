import type { AssignableRole, Invite } from '@svc/core/team/invite';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';

/** A decided change of a team, stored as a whole. */
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
