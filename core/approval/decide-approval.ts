import type { AuditDetails, AuditSource } from '../audit/entry.ts';
import type { RejectionReason } from '../execution/state.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Approval, ApprovalCloser, ApprovalClosing } from './approval.ts';
import { type Decider, type DecisionRules, type MayDecide, mayDecide } from './may-decide.ts';

export type ApprovalDecision = 'approve' | 'deny';

/** The reason why the frozen request no longer matches the present (decision 35, an approval is frozen). */
export type StaleBecause = 'definition_changed' | 'endpoint_deleted' | 'key_revoked' | 'member_removed';

/** The current facts that an approval depends on. */
export interface Preconditions {
  /** Undefined: the request is still as it was shown. */
  readonly stale: StaleBecause | undefined;
  /** The current approval rules of the endpoint. Undefined: the endpoint is deleted, so nothing can run. */
  readonly rules: DecisionRules | undefined;
}

/** The decision that an approver asks for. */
export interface Wanted {
  readonly decision: ApprovalDecision;
  readonly comment: string | undefined;
  readonly approver: Decider;
  readonly source: AuditSource;
  /** The approver confirmed this approval with a passkey (decision 89, approval with a passkey). */
  readonly hasPasskey?: boolean;
}

/** The end of an execution that is not approved. */
export interface UnapprovedEnd {
  readonly state: 'denied' | 'expired' | 'rejected';
  readonly reason: RejectionReason | undefined;
  readonly error: string;
  readonly errorCode: string;
}

/** The change that a decision makes. It is stored as a whole or not at all. */
export interface ApprovalChange {
  readonly closing: ApprovalClosing;
  /** The end of the execution; undefined: the execution is queued. */
  readonly end: UnapprovedEnd | undefined;
  readonly action: 'approval.approved' | 'approval.denied' | 'approval.expired' | 'approval.stale';
  readonly details: AuditDetails;
  /** The refusal for the approver, thrown after the change is stored. It is set if the decision did not count. */
  readonly refusal: Refusal | undefined;
}

type Decided = Pick<Approval, 'closing' | 'expiresAtMs' | 'requesterId'>;

const OPEN_RULES: DecisionRules = { allowSelf: true };
const HUB: ApprovalCloser = { kind: 'hub', id: undefined, name: 'the hub' };

/**
 * Decides on a pending approval (references 3.1 and 7). The first decision counts if it is in time, from a person who may
 * decide, and about the request that was shown. A denial does not need an unchanged request, because nothing runs.
 *
 * @throws `approval_closed`, `approval_expired`, `forbidden`; a late or stale decision returns a change with its refusal
 */
export function decideApproval(
  approval: Decided,
  wanted: Wanted,
  { stale, rules = OPEN_RULES }: Preconditions,
  nowMs: number,
): ApprovalChange {
  if (approval.closing !== undefined) throw closedRefusal(approval, approval.closing);
  if (nowMs >= approval.expiresAtMs) return expireApproval(approval, nowMs);
  const { decision, comment, approver, source, hasPasskey = false } = wanted;
  const allowed = mayDecide(rules, approval.requesterId, approver);
  if (allowed !== 'yes') throw refuse('forbidden', NOT_ALLOWED[allowed], { reason: allowed });
  const id = approver.kind === 'member' ? approver.id : undefined;
  const closed = { atMs: nowMs, by: { kind: approver.kind, id, name: source.actor.name }, comment };
  const details: AuditDetails = comment === undefined ? {} : { comment };
  if (decision === 'deny') {
    const error = `it was denied by ${source.actor.name}${comment === undefined ? '' : `: ${comment}`}`;
    return {
      closing: { ...closed, state: 'denied', reason: undefined },
      end: { state: 'denied', reason: undefined, error, errorCode: 'approval_denied' },
      ...{ action: 'approval.denied', details, refusal: undefined },
    };
  }
  if (rules.approval === 'passkey' && !hasPasskey)
    throw refuse('forbidden', PASSKEY_NEEDED, { reason: 'passkey_needed' });
  if (stale !== undefined) {
    const error = staleMessage(stale);
    return {
      closing: { ...closed, state: 'expired', reason: 'stale' },
      end: { state: 'rejected', reason: 'stale', error, errorCode: 'stale' },
      ...{ action: 'approval.stale', details: { because: stale } },
      refusal: refuse('stale', error, { reason: stale }),
    };
  }
  return {
    closing: { ...closed, state: 'approved', reason: undefined },
    end: undefined,
    ...{ action: 'approval.approved', details, refusal: undefined },
  };
}

/** The change that closes an approval without a decision in time. */
export function expireApproval(
  approval: Pick<Approval, 'expiresAtMs'>,
  nowMs: number,
): ApprovalChange & { readonly end: UnapprovedEnd } {
  const error = 'nobody approved it in time';
  return {
    closing: { state: 'expired', reason: 'timed_out', atMs: nowMs, by: HUB, comment: undefined },
    end: { state: 'expired', reason: undefined, error, errorCode: 'approval_expired' },
    ...{ action: 'approval.expired', details: {}, refusal: expiredRefusal(approval) },
  };
}

const STALE: Readonly<Record<StaleBecause, string>> = {
  definition_changed: 'its endpoint was changed after the call',
  endpoint_deleted: 'its endpoint was deleted after the call',
  key_revoked: 'the API key of its caller was revoked or has expired',
  member_removed: 'its caller is no member of the workspace any more',
};

/** The reason why the call can no longer be approved. */
export function staleMessage(because: StaleBecause): string {
  return `it cannot be approved: ${STALE[because]}`;
}

const NOT_ALLOWED: Readonly<Record<Exclude<MayDecide, 'yes'>, string>> = {
  sign_in: 'this link only shows the call: sign in to decide on it',
  not_approver: 'you may not decide on this call',
  own_call: 'you have made this call yourself: somebody else has to decide',
  unknown_caller:
    'the caller is not known, and this endpoint needs the approval of another person than the caller',
  needs_session:
    'an AI agent made this call for you, or uses this access token: sign in to the hub in a browser, and decide there',
};

const PASSKEY_NEEDED =
  'this endpoint needs a passkey to approve: open the dashboard in a browser, and confirm there';

function expiredRefusal({ expiresAtMs }: Pick<Approval, 'expiresAtMs'>): Refusal {
  const at = new Date(expiresAtMs).toISOString();
  return refuse('approval_expired', `nobody decided on it in time: it expired at ${at}`, { expired_at: at });
}

/** The refusal of a later decision. It says who decided first, when and how. */
function closedRefusal(approval: Pick<Approval, 'expiresAtMs'>, closing: ApprovalClosing): Refusal {
  if (closing.reason === 'timed_out') return expiredRefusal(approval);
  const at = new Date(closing.atMs).toISOString();
  return refuse('approval_closed', closedMessage(closing, at), {
    decision: closing.state,
    reason: closing.reason,
    decided_by: closing.by.name,
    decided_at: at,
  });
}

function closedMessage({ state, reason, by }: ApprovalClosing, at: string): string {
  if (reason === 'cancelled') return `the call was cancelled by ${by.name} at ${at}`;
  if (reason === 'stale')
    return `${by.name} tried to approve it at ${at}, and it was not as it had been shown`;
  return `it was ${state} by ${by.name} at ${at}`;
}
