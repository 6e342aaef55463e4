import type { Approval, ApprovalClosing } from '@svc/core/approval/approval';
import type { Decision } from '@svc/core/approval/decide-approval';
import { decideApproval, type Verdict } from '@svc/core/approval/decide-approval';
import type { Decider } from '@svc/core/approval/may-decide';
import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { AuditSource } from '@svc/core/audit/entry';
import { codeDetails } from '@svc/core/endpoint/explain';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { ExecutionQueue } from '../dispatch/queue.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaClaim, quotaExceeded } from '../executions/quota-claim.ts';
import { sealedApproval } from '../executions/recorded-args.ts';
import { isMaybeStored, untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { RetainedEnd } from './approval-ports.ts';
import { refuseUnsigned } from './check-signature.ts';
import type { NotedTries } from './failed-attempts.ts';
import { findPendingCall, noSuchApproval, type PendingCallRecord } from './pending-call.ts';
import { loadPreconditions, type Now, type PreconditionPorts } from './preconditions.ts';
import {
  entryOf,
  type ReconcilePorts,
  settle,
  settleExpired,
  settleStale,
  staleMessage,
} from './reconcile-approval.ts';

export type DecidePorts = {
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
  readonly hubId: string;
  readonly vault: Vault;
} & PreconditionPorts &
  ReconcilePorts & {
    readonly queue: ExecutionQueue;
    readonly notedTries: NotedTries;
    readonly reportBug: (error: unknown) => unknown;
  };

/** What somebody wants to come of a held call. */
export interface Wanted {
  readonly approvalId: string;
  readonly decision: Decision;
  readonly comment: string | undefined;
  readonly by: Decider;
  readonly source: AuditSource;
  /** Needed to approve a call of an endpoint with `approver_keys`. */
  readonly signed?: SignedApproval | undefined;
}

/** It is decided anew when what it was decided on has moved in between. That often it does not. */
const ATTEMPTS = 20;

/**
 * Decides on a held call: the first decision counts, and all others are told of it (reference 3.1). What is approved is
 * queued in the same commit, and then given to its agent.
 *
 * Throws `approval_closed`, `approval_expired`, `stale`, `forbidden`, `quota_exceeded` or `not_found`.
 */
export async function decide(ports: DecidePorts, wanted: Wanted): Promise<Approval> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const held = await findPendingCall(ports, wanted.approvalId);
    const by = await asTheyAre(ports, held.approval, wanted.by);
    const now = await loadPreconditions(ports, held.execution, ports.clock.nowMs());
    const atMs = ports.clock.nowMs();
    const verdict = decideApproval(held.approval, { ...wanted, by }, atMs, now.circumstances);
    const decided = await carryOut(ports, { ...wanted, by }, { ...held, now, atMs }, verdict);
    if (decided !== undefined) return decided;
  }
  throw refuse('unavailable', 'what is to be decided on does not stand still: try again');
}

/** A member may have another role by now, or be none any more: then they see what a stranger sees. */
async function asTheyAre(
  { accounts }: DecidePorts,
  { workspaceId }: Approval,
  by: Decider,
): Promise<Decider> {
  if (by.kind === 'link') return by;
  const member = await accounts.member(workspaceId, by.id);
  if (member === undefined) throw noSuchApproval();
  return { ...by, role: member.role };
}

type Case = PendingCallRecord & { readonly now: Now; readonly atMs: number };

/** Undefined when something has moved: then it is to be decided anew. */
async function carryOut(
  ports: DecidePorts,
  wanted: Wanted,
  held: Case,
  verdict: Verdict,
): Promise<Approval | undefined> {
  const { approval, atMs } = held;
  switch (verdict.kind) {
    case 'closed':
      throw await closedRefusal(ports, wanted, approval, verdict.closing);
    case 'not_allowed':
      throw refuse('forbidden', NOT_ALLOWED[verdict.because], { reason: verdict.because });
    case 'expired':
      if ((await settleExpired(ports, held, atMs)) !== 'stored') return undefined;
      throw expiredRefusal(approval);
    case 'stale':
      if (
        (await settleStale(ports, held, verdict.because, closingBy(wanted, atMs), wanted.source)) !== 'stored'
      )
        return undefined;
      throw refuse('stale', staleMessage(verdict.because), { reason: verdict.because });
    case 'deny':
      return await store(ports, wanted, held, 'denied');
    case 'approve':
      refuseUnsigned(held, wanted.signed, atMs);
      return await store(ports, wanted, held, 'approved');
  }
}

const NOT_ALLOWED = {
  sign_in: 'this link only shows the call: sign in to decide on it',
  not_approver: 'you are none of those who may decide on this call',
  own_call: 'you have made this call yourself: somebody else has to decide',
  unknown_caller:
    'the caller is not known, and this endpoint needs the approval of another person than the caller',
} as const;

async function store(
  ports: DecidePorts,
  wanted: Wanted,
  held: Case,
  state: 'approved' | 'denied',
): Promise<Approval | undefined> {
  const { approval, execution, endpoint, atMs } = held;
  const closing = { ...closingBy(wanted, atMs), state, reason: undefined };
  const end = state === 'approved' ? await queuedEnd(ports, held, wanted.signed) : deniedEnd(closing);
  if (end === undefined) return undefined;
  const details = {
    ...(wanted.comment === undefined ? {} : { comment: wanted.comment }),
    ...(state === 'approved' && wanted.signed !== undefined ? { signed_with: wanted.signed.key } : {}),
    ...(endpoint === undefined ? {} : codeDetails(endpoint)),
  };
  const entry = entryOf(approval, wanted.source, atMs, `approval.${state}`, details);
  const { by } = wanted;
  const decidedBy = by.kind === 'member' ? { userId: by.id, role: by.role } : undefined;
  const outcome = await settle(ports, held, closing, end.stored, { entry, decidedBy }).catch(
    (error: unknown) => {
      if (isMaybeStored(error)) takeUp(ports, execution.id).catch(ports.reportBug);
      throw error;
    },
  );
  if (outcome === 'quota_exceeded') throw end.quotaExceeded;
  if (outcome !== 'stored') return undefined;
  // Only now, that it is on record: a hub that dies here finds it in the queue.
  if (state === 'approved') takeUp(ports, execution.id).catch(ports.reportBug);
  return { ...approval, closing };
}

interface StoredEnd {
  readonly stored: RetainedEnd;
  readonly quotaExceeded?: Refusal;
}

async function queuedEnd(
  { accounts, hubId, vault }: DecidePorts,
  { approval, execution, now, atMs }: Case,
  signed: SignedApproval | undefined,
): Promise<StoredEnd | undefined> {
  const workspace = await accounts.workspaceById(approval.workspaceId);
  if (workspace === undefined) throw noSuchApproval();
  if (now.on === undefined) return undefined;
  const quota = quotaClaim(workspace, atMs);
  return {
    stored: {
      state: 'queued',
      hubId,
      quota,
      on: now.on,
      sealedApproval: signed && sealedApproval(vault, execution, signed),
    },
    quotaExceeded: quotaExceeded(workspace, atMs),
  };
}

function deniedEnd({ by, comment }: Pick<ApprovalClosing, 'by' | 'comment'>): StoredEnd {
  const error = `it was denied by ${by.name}${comment === undefined ? '' : `: ${comment}`}`;
  return { stored: { state: 'denied', reason: undefined, error, errorCode: 'approval_denied' } };
}

function closingBy({ by, source, comment }: Wanted, atMs: number) {
  const id = by.kind === 'member' ? by.id : undefined;
  return { atMs, by: { kind: by.kind, id, name: source.actor.name }, comment };
}

/** Gives to an agent what is queued and this hub's; also when the answer of the store was lost, and with it whether it is. */
async function takeUp(
  { ledger, clock, queue, changes, hubId }: DecidePorts,
  executionId: string,
): Promise<void> {
  const execution: Execution | undefined = await untilAnswered(clock, () => ledger.find(executionId));
  if (execution?.state !== 'queued' || execution.hubId !== hubId) return;
  await queue.add(execution);
  changes.changed(executionId);
}

function expiredRefusal({ expiresAtMs }: Approval): Refusal {
  const at = new Date(expiresAtMs).toISOString();
  return refuse('approval_expired', `nobody decided on it in time: it expired at ${at}`, { expired_at: at });
}

/** Who was first, when and how. That a link is used again is on record (decision 36). */
async function closedRefusal(
  { approvals, notedTries, clock }: DecidePorts,
  { by, source, decision }: Wanted,
  approval: Approval,
  closing: ApprovalClosing,
): Promise<Refusal> {
  if (by.kind === 'link' && notedTries.isNew(approval.id, source.from.address))
    await approvals.note(entryOf(approval, source, clock.nowMs(), 'approval.tried_again', { decision }));
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
