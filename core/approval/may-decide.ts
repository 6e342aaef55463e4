import type { Endpoint } from '../endpoint/definition.ts';
import { may, type Role } from '../workspace/permissions.ts';

/** The person who decides: the holder of the link, or a signed-in member. */
export type Decider =
  | { readonly kind: 'link' }
  | { readonly kind: 'member'; readonly id: string; readonly email: string; readonly role: Role };

/** The rules of an endpoint about its approvers (decision 36, deciding on an approval). */
export interface ApproverRules {
  /** Roles and e-mail addresses; undefined: every member who may run the endpoint. */
  readonly approvers?: readonly string[];
  readonly allowSelf: boolean;
}

/**
 * `sign_in`: the link only shows the call, and a member has to decide. `unknown_caller`: the caller is unknown, so no
 * member is known to be another person.
 */
export type MayDecide = 'yes' | 'sign_in' | 'not_approver' | 'own_call' | 'unknown_caller';

/**
 * The rules for one call. An AI agent has the link of its call, and often a key of the person it works for. So neither
 * decides on a call from an agent: another member does (decision 66, tools for AI agents).
 */
export function rulesFor(trigger: string, rules: ApproverRules): ApproverRules {
  return trigger === 'mcp' ? { ...rules, allowSelf: false } : rules;
}

/** With either rule the link alone is not enough, because the caller has the link too. */
export function isNarrowed({ approvers, allowSelf }: ApproverRules): boolean {
  return approvers !== undefined || !allowSelf;
}

/** A warning: responses contain the approval link (reference 4.5), and anybody can call a public endpoint. */
export function openApprovalWarning(
  endpoint: ApproverRules & Pick<Endpoint, 'slug' | 'approvalRequired' | 'public'>,
): string | undefined {
  if (!endpoint.approvalRequired || !endpoint.public || isNarrowed(endpoint)) return undefined;
  const why = 'every caller gets the link that approves the call';
  return `"${endpoint.slug}" is public and needs approval, and ${why}: name approvers, or set allow_self: false`;
}

/** Whether a person may decide on a call; `requesterId` is the user behind the caller (decision 60, the file is a floor). */
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
