/** The states of reference 3.1. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/**
 * Why an approval expired: its time was over, its subject changed (decision 35, an approval is frozen), or its execution
 * was cancelled.
 */
export const EXPIRY_REASONS = ['timed_out', 'stale', 'cancelled'] as const;
export type ExpiryReason = (typeof EXPIRY_REASONS)[number];

/** Who closed an approval: a person with its link, a member, the caller by cancelling, or the hub when the time was over. */
export interface ApprovalCloser {
  readonly kind: 'link' | 'member' | 'caller' | 'hub';
  readonly id: string | undefined;
  /** The name that people see. */
  readonly name: string;
}

/** How an approval ended. */
export interface ApprovalClosing {
  readonly state: Exclude<ApprovalState, 'pending'>;
  /** For an expired approval. */
  readonly reason: ExpiryReason | undefined;
  readonly atMs: number;
  readonly by: ApprovalCloser;
  readonly comment: string | undefined;
}

/** An approval of a call, pending or closed. Its execution holds the frozen request (decision 35, an approval is frozen). */
export interface Approval {
  readonly id: string;
  readonly workspaceId: string;
  readonly executionId: string;
  readonly slug: string;
  /** The name of the agent that will run the call. */
  readonly agentName: string;
  /** The name of the caller for people. */
  readonly requestedBy: string;
  /** The user behind the caller: the member who called, or who made the API key. Undefined: unknown. */
  readonly requesterId: string | undefined;
  /** The nonce of the current link; links with an older one no longer work. */
  readonly generation: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Undefined while the approval is pending. */
  readonly closing: ApprovalClosing | undefined;
}

/** A decision in the very millisecond of the expiry is too late. */
export function isPending(
  { closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return closing === undefined && nowMs < expiresAtMs;
}

/** The state that people see. An approval whose time is over shows as expired, even before the hub stores that. */
export function approvalState(
  { closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>,
  nowMs: number,
): ApprovalState {
  return closing?.state ?? (nowMs < expiresAtMs ? 'pending' : 'expired');
}
