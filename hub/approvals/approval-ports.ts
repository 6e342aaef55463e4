import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval, ApprovalClosing, ApprovalState } from '@svc/core/approval/approval';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { RejectionReason } from '@svc/core/execution/state';
import type { Role } from '@svc/core/workspace/permissions';
import type {
  Acceptance,
  IdempotencyClaim,
  NewExecution,
  QuotaClaim,
} from '../executions/execution-ports.ts';
import type { UsedPasskey } from '../passkeys/passkey-ports.ts';
import type { PageOfItems } from '../platform/page-of-items.ts';

export interface ApprovalDeps {
  readonly approvals: Approvals;
}

/** The versions that a decision was made on; the decision is stored only while they are current. */
export interface DecidedOn {
  readonly endpointId: string;
  readonly endpointVersion: number;
  /** The API key of the caller, which must not be revoked; undefined for other callers. */
  readonly apiKeyId: string | undefined;
  /** The member who called, who must still be in the workspace; undefined for other callers. */
  readonly memberId: string | undefined;
}

/** The next state of the execution that was pending approval. */
export type RetainedEnd =
  | {
      readonly state: 'queued';
      /** The hub that dispatches it. */
      readonly hubId: string;
      readonly quota: QuotaClaim;
      readonly on: DecidedOn;
      /** The signed approval, sealed like secret arguments; undefined: the endpoint needs none. */
      readonly sealedApproval?: string | undefined;
    }
  | {
      readonly state: 'denied' | 'expired' | 'rejected' | 'cancelled';
      readonly reason: RejectionReason | undefined;
      readonly error: string;
      readonly errorCode: string;
    };

/** A call that is stored as pending approval. */
export interface NewPendingCall {
  readonly execution: NewExecution;
  readonly approval: Approval;
  readonly alerts: readonly AlertEvent[];
}

export interface ApprovalFilter {
  readonly workspaceId: string;
  readonly states?: readonly ApprovalState[];
  readonly slug?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** The audit entry and alerts that are stored with the end of an approval. */
export interface ClosedAlong {
  readonly entry: AuditEntry | undefined;
  readonly alerts: readonly AlertEvent[];
  /** The member who has decided, and must still have that role; undefined: a link, a caller or the hub. */
  readonly decidedBy?: { readonly userId: string; readonly role: Role } | undefined;
  /** The passkey that confirmed the approval. Its counter is stored with the decision, so a removed passkey approves nothing. */
  readonly passkey?: UsedPasskey | undefined;
}

/**
 * Pending calls. An approval and its execution are stored as one unit from beginning to end: nothing is queued without its
 * approval, and nothing is approved without being queued (decision 24, states and takeover).
 */
export interface Approvals {
  /** Stores execution, approval, idempotency row and alerts together, or none of them. */
  addPending(call: NewPendingCall, idempotency?: IdempotencyClaim): Promise<Acceptance>;
  find(id: string): Promise<Approval | undefined>;
  ofExecution(executionId: string): Promise<Approval | undefined>;
  /** Newest first. */
  list(filter: ApprovalFilter): Promise<PageOfItems<Approval>>;
  /** The number of pending calls of an endpoint, counted up to a limit. */
  pendingOf(
    endpoint: Pick<ApprovalFilter, 'workspaceId'> & { readonly slug: string },
    limit: number,
  ): Promise<number>;
  /** The bytes of the bodies that wait with unfinished calls of a workspace. */
  keptBytes(workspaceId: string): Promise<number>;
  /** The pending approvals whose time is over, oldest first. */
  due(nowMs: number, limit: number): Promise<Approval[]>;
  /**
   * Closes a pending approval with its execution, its audit entry and its alerts. `closed`: another decision was first. `moved`: a
   * precondition has changed. `changed`: the passkey was used or removed. In these cases nothing is stored.
   */
  close(
    approval: Approval,
    closing: ApprovalClosing,
    end: RetainedEnd,
    along: ClosedAlong,
  ): Promise<'stored' | 'closed' | 'moved' | 'changed' | 'quota_exceeded'>;
  /** An attempt that changed nothing, such as a second use of a link. */
  note(entry: AuditEntry): Promise<void>;
}
