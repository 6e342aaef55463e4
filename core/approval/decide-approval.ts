import type { Approval, ApprovalClosing } from './approval.ts';
import { type ApproverRules, type Decider, type MayDecide, mayDecide } from './may-decide.ts';

export type Decision = 'approve' | 'deny';

/** What makes the frozen request another than it was (decision 35). */
export type StaleBecause = 'definition_changed' | 'endpoint_deleted' | 'key_revoked' | 'member_removed';

/** What an approval depends on, as it is now. */
export interface Preconditions {
  /** Undefined: there is nothing against it. */
  readonly stale: StaleBecause | undefined;
  /** Those of the endpoint as it is now; undefined: it is gone, and nothing can run any more. */
  readonly rules: ApproverRules | undefined;
}

export type Verdict =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny' }
  /** Nobody decided in time. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'stale'; readonly because: StaleBecause }
  /** Somebody else was first. */
  | { readonly kind: 'closed'; readonly closing: ApprovalClosing }
  | { readonly kind: 'not_allowed'; readonly because: Exclude<MayDecide, 'yes'> };

const OPEN_RULES: ApproverRules = { allowSelf: true };

/**
 * What comes of a decision (references 3.1 and 7): the first one counts, in time, of somebody who may, on what was shown. Denying
 * needs no fresh request: nothing runs by it.
 */
export function decideApproval(
  approval: Pick<Approval, 'closing' | 'expiresAtMs' | 'requesterId'>,
  wanted: { readonly decision: Decision; readonly by: Decider },
  nowMs: number,
  { stale, rules = OPEN_RULES }: Preconditions,
): Verdict {
  if (approval.closing !== undefined) return { kind: 'closed', closing: approval.closing };
  if (nowMs >= approval.expiresAtMs) return { kind: 'expired' };
  const allowed = mayDecide(rules, approval.requesterId, wanted.by);
  if (allowed !== 'yes') return { kind: 'not_allowed', because: allowed };
  if (wanted.decision === 'deny') return { kind: 'deny' };
  return stale === undefined ? { kind: 'approve' } : { kind: 'stale', because: stale };
}
