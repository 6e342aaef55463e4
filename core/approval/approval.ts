/** The states of reference 3.1. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Why an approval expired: its time was up, what it was about changed (decision 35), or its execution was cancelled. */
export const EXPIRY_REASONS = ['timed_out', 'stale', 'cancelled'] as const;
export type ExpiryReason = (typeof EXPIRY_REASONS)[number];

/** Who closed an approval: somebody with its link, a member, its caller by cancelling it, or the hub because of the time. */
export interface ApprovalCloser {
  readonly kind: 'link' | 'member' | 'caller' | 'hub';
  readonly id: string | undefined;
  /** As people know them. */
  readonly name: string;
}

/** How an approval ended. */
export interface ApprovalClosing {
  readonly state: Exclude<ApprovalState, 'pending'>;
  /** Of one that expired. */
  readonly reason: ExpiryReason | undefined;
  readonly atMs: number;
  readonly by: ApprovalCloser;
  readonly comment: string | undefined;
}

/** A call that waits for a person, or did. What it is about is frozen in its execution (decision 35). */
export interface Approval {
  readonly id: string;
  readonly workspaceId: string;
  readonly executionId: string;
  readonly slug: string;
  /** Where it will run: the name of an agent. */
  readonly agentName: string;
  /** The caller as people know it. */
  readonly requestedBy: string;
  /** The person behind the caller: who called, or who made the key. Undefined: nobody knows, or nobody. */
  readonly requesterId: string | undefined;
  /** That of its link: a link of an older one works no more. */
  readonly generation: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Undefined while it is pending. */
  readonly closing: ApprovalClosing | undefined;
}

/** At the very millisecond of its expiry it is too late. */
export function isPending(
  { closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  return closing === undefined && nowMs < expiresAtMs;
}

/** What people are shown: one whose time is up has expired, whether the hub has come to store it or not. */
export function approvalState(
  { closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>,
  nowMs: number,
): ApprovalState {
  return closing?.state ?? (nowMs < expiresAtMs ? 'pending' : 'expired');
}
