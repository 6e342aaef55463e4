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
import type { Page } from '../platform/page-of-items.ts';

/** What use cases about approvals take besides `Ports`. */
export interface ApprovalPorts {
  readonly approvals: Approvals;
}

/** What a decision was made on; stored only while it is still so. */
export interface DecidedOn {
  readonly endpointId: string;
  readonly endpointVersion: number;
  /** The key of the caller, if it was one: not revoked. */
  readonly apiKeyId: string | undefined;
  /** The member who called, if it was one: still in the workspace. */
  readonly memberId: string | undefined;
}

/** What becomes of the execution that waited. */
export type RetainedEnd =
  | {
      readonly state: 'queued';
      /** Whose it is from now on. */
      readonly hubId: string;
      readonly quota: QuotaClaim;
      readonly on: DecidedOn;
      /** The signed approval, sealed as secret arguments are; undefined: none is needed. */
      readonly sealedApproval?: string | undefined;
    }
  | {
      readonly state: 'denied' | 'expired' | 'rejected' | 'cancelled';
      readonly reason: RejectionReason | undefined;
      readonly error: string;
      readonly errorCode: string;
    };

/** A call that is to wait. */
export interface NewPendingCall {
  readonly execution: NewExecution;
  readonly approval: Approval;
  readonly told: readonly AlertEvent[];
}

export interface ApprovalFilter {
  readonly workspaceId: string;
  readonly states?: readonly ApprovalState[];
  readonly slug?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** What is stored with the end of an approval. */
export interface ClosedAlong {
  readonly entry: AuditEntry | undefined;
  readonly told: readonly AlertEvent[];
  /** The member who has decided: still one, in that role. Undefined: nobody who could be removed. */
  readonly decidedBy?: { readonly userId: string; readonly role: Role } | undefined;
}

/**
 * Held calls: an approval and the execution that waits for it are one unit from beginning to end, so nothing is queued without
 * its approval, and nothing is approved without being queued (decision 24).
 */
export interface Approvals {
  /** Execution, approval, idempotency row and what is told of it together, or none of them. */
  hold(held: NewPendingCall, idempotency?: IdempotencyClaim): Promise<Acceptance>;
  find(id: string): Promise<Approval | undefined>;
  ofExecution(executionId: string): Promise<Approval | undefined>;
  /** The newest first. */
  list(filter: ApprovalFilter): Promise<Page<Approval>>;
  /** How many of an endpoint wait, counted up to a limit. */
  pendingOf(
    endpoint: Pick<ApprovalFilter, 'workspaceId'> & { readonly slug: string },
    limit: number,
  ): Promise<number>;
  /** Those that nobody has decided on in time, the oldest first. */
  due(nowMs: number, limit: number): Promise<Approval[]>;
  /**
   * Closes a pending approval, with its execution, its entry of the audit log and what is told of it. `closed`: somebody was first. `moved`: what
   * it was decided on is not so any more. Then nothing is stored.
   */
  close(
    approval: Approval,
    closing: ApprovalClosing,
    end: RetainedEnd,
    along: ClosedAlong,
  ): Promise<'stored' | 'closed' | 'moved' | 'quota_exceeded'>;
  /** Something that was tried and changed nothing, such as a second use of a link. */
  note(entry: AuditEntry): Promise<void>;
}
