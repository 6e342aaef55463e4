import type { GroupRole } from '@svc/core/team/group-roles';
import type { AssignableRole, Invite } from '@svc/core/team/invite';
import type { OwnershipOffer } from '@svc/core/team/team';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';

/** A decided change of a team, stored as a whole. */
export type TeamChange =
  | { readonly kind: 'invited' | 'resent'; readonly invite: Invite; readonly mail: OutgoingMail }
  | { readonly kind: 'withdrawn'; readonly invite: Invite }
  | { readonly kind: 'joined'; readonly invite: Invite; readonly userId: string; readonly atMs: number }
  | {
      readonly kind: 'joined_by_group';
      readonly userId: string;
      readonly role: AssignableRole;
      readonly group: string;
      readonly atMs: number;
    }
  | {
      readonly kind: 'joined_by_scim';
      readonly userId: string;
      readonly role: AssignableRole;
      readonly atMs: number;
    }
  /** Only what is stored alongside changes. */
  | { readonly kind: 'scim_changed' }
  /** Without a group, the membership is no longer one by a group. */
  | { readonly kind: 'group_changed'; readonly userId: string; readonly group: string | undefined }
  | { readonly kind: 'ownership_offered'; readonly offer: OwnershipOffer; readonly mail: OutgoingMail }
  | { readonly kind: 'offer_ended' }
  | {
      readonly kind: 'owner_changed';
      readonly from: string;
      readonly to: string;
      readonly mails: readonly OutgoingMail[];
      readonly atMs: number;
    }
  | { readonly kind: 'groups_set'; readonly rules: readonly GroupRole[] }
  | {
      readonly kind: 'role_changed';
      readonly userId: string;
      readonly role: AssignableRole;
      /** The group that gives the role; undefined: a person does. */
      readonly group: string | undefined;
      readonly mail: OutgoingMail;
      readonly atMs: number;
    }
  | {
      readonly kind: 'removed';
      readonly userId: string;
      readonly mail: OutgoingMail | undefined;
      readonly atMs: number;
    };
