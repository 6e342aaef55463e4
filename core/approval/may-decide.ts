import type { Endpoint } from '../endpoint/definition.ts';
import { may, type Role } from '../workspace/permissions.ts';

/** The person who decides: the holder of the link, or a signed-in member. */
export type Decider =
  | {
      readonly kind: 'link';
      /** False: somebody may run this endpoint and not approve its calls, and callers get the link (decision 87, rights per endpoint). */
      readonly isEnough?: boolean;
    }
  | {
      readonly kind: 'member';
      readonly id: string;
      readonly email: string;
      readonly role: Role;
      readonly credential: DecidingCredential;
      /** What the rights on the endpoint say; undefined: the role decides (decision 87, rights per endpoint). */
      readonly mayApprove?: boolean | undefined;
    };

/**
 * The credential of a member who decides: the session of a browser, a personal access token, or a personal access token that an AI
 * agent may have.
 */
export type DecidingCredential = 'session' | 'token' | 'agent_token';

/** The rules of an endpoint about its approvers (decision 36, deciding on an approval). */
export interface ApproverRules {
  /** Roles and e-mail addresses; undefined: every member who may run the endpoint. */
  readonly approvers?: readonly string[];
  readonly allowSelf: boolean;
  /** An approver confirms with a passkey (decision 89, approval with a passkey). */
  readonly approval?: 'passkey' | undefined;
}

/** The rules for one call. */
export interface DecisionRules extends ApproverRules {
  /** An AI agent made the call (decision 75, approval of calls of agents). */
  readonly isFromAgent?: boolean;
}

/**
 * `sign_in`: the link only shows the call, and a member has to decide. `unknown_caller`: the caller is unknown, so no
 * member is known to be another person. `needs_session`: an AI agent may have this token, so the member decides in a
 * browser.
 */
export type MayDecide = 'yes' | 'sign_in' | 'not_approver' | 'own_call' | 'unknown_caller' | 'needs_session';

/** With any of these rules the link alone is not enough, because the caller has the link too. */
export function isNarrowed({ approvers, allowSelf, approval }: ApproverRules): boolean {
  return approvers !== undefined || !allowSelf || approval !== undefined;
}

/** A warning: responses contain the approval link (reference 4.5), and anybody can call a public endpoint. */
export function openApprovalWarning(
  endpoint: ApproverRules & Pick<Endpoint, 'slug' | 'approvalRequired' | 'public'>,
): string | undefined {
  if (!endpoint.approvalRequired || !endpoint.public || isNarrowed(endpoint)) return undefined;
  const why = 'every caller gets the link that approves the call';
  return `"${endpoint.slug}" is public and needs approval, and ${why}: name approvers, or set allow_self: false or approval: passkey`;
}

/** Whether a person may decide on a call; `requesterId` is the user behind the caller (decision 60, the file is a floor). */
export function mayDecide(rules: DecisionRules, requesterId: string | undefined, by: Decider): MayDecide {
  if (by.kind === 'link')
    return by.isEnough === false || rules.isFromAgent || isNarrowed(rules) ? 'sign_in' : 'yes';
  if (!(by.mayApprove ?? may(by.role, 'endpoint.execute')) || !isApprover(rules.approvers, by))
    return 'not_approver';
  if (by.credential === 'agent_token') return 'needs_session';
  if (rules.isFromAgent && by.credential === 'token' && isPossibly(requesterId, by.id))
    return 'needs_session';
  if (rules.allowSelf) return 'yes';
  if (requesterId === undefined) return 'unknown_caller';
  return by.id === requesterId ? 'own_call' : 'yes';
}

/** An agent often runs where its user is signed in, so it can read the access token of that user. */
function isPossibly(requesterId: string | undefined, id: string): boolean {
  return requesterId === undefined || requesterId === id;
}

function isApprover(
  approvers: readonly string[] | undefined,
  { email, role }: Extract<Decider, { kind: 'member' }>,
): boolean {
  return approvers?.some((one) => one === role || one.toLowerCase() === email.toLowerCase()) ?? true;
}
