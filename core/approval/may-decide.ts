import { may, type Role } from '../workspace/permissions.ts';

/** Who decides: whoever has the link, or a member who has signed in. */
export type Decider =
  | { readonly kind: 'link' }
  | { readonly kind: 'member'; readonly id: string; readonly email: string; readonly role: Role };

/** What an endpoint says about who may decide (decision 36). */
export interface ApproverRules {
  /** Roles and e-mail addresses; undefined: everybody who may run it. */
  readonly approvers?: readonly string[];
  readonly allowSelf: boolean;
}

/**
 * `sign_in`: the link only shows, and a member has to decide. `unknown_caller`: it is not known who called, so no member is known
 * to be another person.
 */
export type MayDecide = 'yes' | 'sign_in' | 'not_approver' | 'own_call' | 'unknown_caller';

/** With either rule a link alone decides nothing: the caller has it, too. */
export function isNarrowed({ approvers, allowSelf }: ApproverRules): boolean {
  return approvers !== undefined || !allowSelf;
}

/** Whether a person may decide on a call; `requesterId` is the person behind its caller (decision 60). */
export function mayDecide(rules: ApproverRules, requesterId: string | undefined, by: Decider): MayDecide {
  if (by.kind === 'link') return isNarrowed(rules) ? 'sign_in' : 'yes';
  if (!may(by.role, 'endpoint.execute') || !isApprover(rules.approvers, by)) return 'not_approver';
  if (rules.allowSelf) return 'yes';
  if (requesterId === undefined) return 'unknown_caller';
  return by.id === requesterId ? 'own_call' : 'yes';
}

function isApprover(
  approvers: readonly string[] | undefined,
  { email, role }: Extract<Decider, { kind: 'member' }>,
): boolean {
  return approvers?.some((one) => one === role || one.toLowerCase() === email.toLowerCase()) ?? true;
}
