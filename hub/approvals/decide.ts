import type { Approval } from '@svc/core/approval/approval';
import {
  type ApprovalChange,
  type ApprovalDecision,
  decideApproval,
} from '@svc/core/approval/decide-approval';
import type { Decider } from '@svc/core/approval/may-decide';
import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { codeDetails } from '@svc/core/endpoint/explain';
import { aboutExecution, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaClaim, quotaExceeded } from '../executions/quota-claim.ts';
import { sealedApproval } from '../executions/recorded-args.ts';
import type { UsedPasskey } from '../passkeys/passkey-ports.ts';
import { isMaybeStored, untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { type ApplyDeps, applyChange, entryOf } from './apply-change.ts';
import type { DecidedOn, RetainedEnd } from './approval-ports.ts';
import { refuseUnsigned } from './check-signature.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { findPendingCall, noSuchApproval, type PendingCallRecord } from './pending-call.ts';
import { loadPreconditions, type PreconditionDeps } from './preconditions.ts';

export type DecideDeps = PreconditionDeps &
  ApplyDeps & {
    readonly ledger: ExecutionLedger;
    readonly clock: Clock;
    readonly hubId: string;
    readonly vault: Vault;
    readonly queue: ExecutionQueue;
    readonly failedAttempts: FailedAttempts;
    readonly reportBug: (error: unknown) => unknown;
  };

/** The decision of a person: approve or deny, with an optional comment. */
export interface DecisionRequest {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly comment: string | undefined;
  /** A member, or the holder of the link. */
  readonly approver: Decider;
  /** Address and client, for the audit log. */
  readonly source: AuditSource;
  /** Needed to approve a call of an endpoint with `approver_keys`. */
  readonly signed?: SignedApproval | undefined;
  /** Needed to approve a call of an endpoint with `approval: passkey`: a verified use, stored with the decision. */
  readonly passkey?: UsedPasskey | undefined;
}

/**
 * Decides on a pending approval. The first decision wins; every later one is refused with `approval_closed` (reference 3.1).
 *
 * Approving queues the execution in the same transaction. It is dispatched after the commit, so a hub that dies in between finds
 * it in the queue.
 *
 * Throws `approval_closed`, `approval_expired`, `stale`, `forbidden`, `quota_exceeded` or `not_found`.
 */
export async function decide(deps: DecideDeps, request: DecisionRequest): Promise<Approval> {
  return await retryOnConflict(async () => {
    const call = await findPendingCall(deps, request.approvalId);
    const current = {
      ...request,
      approver: await refreshRole(deps.accounts, call.approval, request.approver),
    };
    const { decidedOn, ...preconditions } = await loadPreconditions(deps, call.execution, deps.clock.nowMs());
    await noteLateUse(deps, call.approval, request);
    const nowMs = deps.clock.nowMs();
    try {
      const wanted = { ...current, hasPasskey: request.passkey !== undefined };
      const change = decideApproval(call.approval, wanted, preconditions, nowMs);
      if (change.end === undefined) refuseUnsigned(call, request.signed, nowMs);
      return await apply(deps, call, current, { ...change, decidedOn });
    } catch (error) {
      throw aboutExecution(call.execution.id, error);
    }
  });
}

/** The number of attempts. The preconditions of a decision rarely change during it, and never this often. */
const MAX_ATTEMPTS = 20;

/** Decides again when something that the decision depends on has changed before it was stored. `undefined` is a conflict. */
async function retryOnConflict<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw refuse('unavailable', 'the call changes while it is decided: try again');
}

/** The role may have changed since the page was opened. A person who left the workspace sees what a stranger sees. */
async function refreshRole(
  accounts: Accounts,
  { workspaceId }: Approval,
  approver: Decider,
): Promise<Decider> {
  if (approver.kind === 'link') return approver;
  const member = await accounts.member(workspaceId, approver.id);
  if (member === undefined) throw noSuchApproval();
  return { ...approver, role: member.role };
}

/** Records that a link is used again after the decision (decision 36, deciding on an approval). */
async function noteLateUse(
  { approvals, failedAttempts, clock }: DecideDeps,
  approval: Approval,
  { approver, source, decision }: DecisionRequest,
): Promise<void> {
  if (approval.closing === undefined || approver.kind !== 'link') return;
  if (!failedAttempts.isNew(approval.id, source.from.address)) return;
  await approvals.note(entryOf(approval, source, clock.nowMs(), 'approval.tried_again', { decision }));
}

type Change = ApprovalChange & { readonly decidedOn: DecidedOn | undefined };

/** Stores the change, and queues what was approved. Undefined: a precondition has changed meanwhile, and nothing is stored. */
async function apply(
  deps: DecideDeps,
  call: PendingCallRecord,
  request: DecisionRequest,
  change: Change,
): Promise<Approval | undefined> {
  const { approval, execution } = call;
  const { source, approver } = request;
  const workspace = change.end === undefined ? await workspaceOf(deps, approval) : undefined;
  const end = change.end ?? queuedEnd(deps, call, request, change, workspace);
  if (end === undefined) return undefined;
  const details = change.refusal === undefined ? detailsOf(call, request, change) : {};
  const decidedBy =
    change.refusal === undefined && approver.kind === 'member'
      ? { userId: approver.id, role: approver.role }
      : undefined;
  const dispatchLater = () => enqueueApproved(deps, execution.id).catch(deps.reportBug);
  const outcome = await applyChange(deps, call, change, {
    ...{ end, source, details, decidedBy },
    passkey: end.state === 'queued' ? request.passkey : undefined,
  }).catch((error: unknown) => {
    if (end.state === 'queued' && isMaybeStored(error)) void dispatchLater();
    throw error;
  });
  if (outcome === 'quota_exceeded' && workspace !== undefined)
    throw quotaExceeded(workspace, change.closing.atMs);
  if (outcome === 'changed')
    throw refuse('link_used', 'the passkey was used or removed at the same moment: start again');
  if (outcome !== 'stored') return undefined;
  if (change.refusal !== undefined) throw change.refusal;
  if (end.state === 'queued') void dispatchLater();
  return { ...approval, closing: change.closing };
}

async function workspaceOf({ accounts }: DecideDeps, { workspaceId }: Approval): Promise<Workspace> {
  const workspace = await accounts.workspaceById(workspaceId);
  if (workspace === undefined) throw noSuchApproval();
  return workspace;
}

function queuedEnd(
  { hubId, vault }: DecideDeps,
  { execution }: PendingCallRecord,
  { signed }: DecisionRequest,
  { decidedOn, closing }: Change,
  workspace: Workspace | undefined,
): RetainedEnd | undefined {
  if (decidedOn === undefined || workspace === undefined) return undefined;
  return {
    state: 'queued',
    hubId,
    quota: quotaClaim(workspace, closing.atMs),
    on: decidedOn,
    sealedApproval: signed && sealedApproval(vault, execution, signed),
  };
}

function detailsOf(
  { endpoint, execution: { files } }: PendingCallRecord,
  { signed, passkey }: DecisionRequest,
  { end }: ApprovalChange,
): AuditEntry['details'] {
  return {
    ...(end === undefined && signed !== undefined ? { signed_with: signed.key } : {}),
    ...(end === undefined && passkey !== undefined ? { passkey: passkey.passkey.name } : {}),
    ...(files && { sha256: files.map(({ sha256 }) => sha256) }),
    ...(endpoint === undefined ? {} : codeDetails(endpoint)),
  };
}

/** Puts an approved execution into this hub's queue, also when the store did not say whether it was stored. */
async function enqueueApproved(
  { ledger, clock, queue, hubId }: DecideDeps,
  executionId: string,
): Promise<void> {
  const execution = await untilAnswered(clock, () => ledger.find(executionId));
  if (execution?.state !== 'queued' || execution.hubId !== hubId) return;
  await queue.add(execution);
}
