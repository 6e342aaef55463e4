import type { ExecutionState } from '@svc/core/execution/state';
import type { Role } from '@svc/core/workspace/permissions';
import { sql } from 'kysely';
import type { ExecutionRow } from '../../executions/store/table.ts';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { RetainedEnd } from '../approval-ports.ts';
import { APPROVAL_COLUMNS } from './row.ts';
import type { ApprovalRow } from './table.ts';

/** NOTE: The same text as the condition of the partial index; otherwise the index is not used. */
export const IS_PENDING = sql<boolean>`state = 'pending'`;

export function approvalQueries(database: Database) {
  return { ...readsOf(database), ...writesOf(database), ...guardsOf(database) };
}

function readsOf({ build }: Database) {
  const approvals = build.selectFrom('approvals').select(APPROVAL_COLUMNS);
  return {
    find: reading((it: { id: string }) => approvals.where('id', '=', it.id)),
    ofExecution: reading((it: { execution_id: string }) =>
      approvals.where('execution_id', '=', it.execution_id),
    ),
    pendingOf: reading((it: { workspace_id: string; slug: string; limit: number }) =>
      build
        .selectFrom('approvals')
        .select('id')
        .where(IS_PENDING)
        // NOTE: SQLite uses the partial index only with a condition on its first column; every approval has an expiry.
        .where('expires_at_ms', '>', 0)
        .where('workspace_id', '=', it.workspace_id)
        .where('slug', '=', it.slug)
        .limit(sql<number>`${it.limit}`),
    ),
    keptPending: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('approvals')
        .innerJoin('executions', 'executions.id', 'approvals.execution_id')
        .select('executions.files')
        .where(sql<boolean>`approvals.state = 'pending'`)
        .where('approvals.expires_at_ms', '>', 0)
        .where('approvals.workspace_id', '=', it.workspace_id)
        .where('executions.files', 'is not', null),
    ),
    keptApproved: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('executions')
        .select('files')
        .where(sql<boolean>`state in ('queued', 'running')`)
        .where('workspace_id', '=', it.workspace_id)
        .where('files', 'is not', null),
    ),
    due: reading((it: { now_ms: number; limit: number }) =>
      approvals
        .where(IS_PENDING)
        .where('expires_at_ms', '<=', it.now_ms)
        .orderBy('expires_at_ms')
        .limit(sql<number>`${it.limit}`),
    ),
  };
}

type Closing = Pick<
  ApprovalRow,
  | 'id'
  | 'state'
  | 'reason'
  | 'closed_at_ms'
  | 'closed_by_kind'
  | 'closed_by_id'
  | 'closed_by_name'
  | 'comment'
>;
const CLOSING = [
  'state',
  'reason',
  'closed_at_ms',
  'closed_by_kind',
  'closed_by_id',
  'closed_by_name',
  'comment',
] as const;

type NeverRan = Pick<ExecutionRow, 'id' | 'reason' | 'error' | 'error_code' | 'ended_at_ms'> & {
  readonly state: ExecutionState;
};

function writesOf({ build }: Database) {
  const pending = build.updateTable('executions').where('state', '=', 'pending_approval');
  return {
    add: writing((it: ApprovalRow) => build.insertInto('approvals').values(slotsOf(it, APPROVAL_COLUMNS))),
    close: writing(
      (it: Closing) =>
        build.updateTable('approvals').set(slotsOf(it, CLOSING)).where('id', '=', it.id).where(IS_PENDING),
      { unlessChanged: 'closed' },
    ),
    queue: writing(
      (it: { id: string; hub_id: string; queued_at_ms: number }) =>
        pending
          .set({ state: 'queued', hub_id: it.hub_id, queued_at_ms: it.queued_at_ms })
          .where('id', '=', it.id),
      { unlessChanged: 'closed' },
    ),
    signed: writing((it: { id: string; sealed_args: string }) =>
      build.updateTable('executions').set({ sealed_args: it.sealed_args }).where('id', '=', it.id),
    ),
    end: writing(
      (it: NeverRan) =>
        pending
          // Nothing will run, so its secret arguments are no longer needed (decision 9, values of a call).
          .set({
            ...slotsOf(it, ['state', 'reason', 'error', 'error_code', 'ended_at_ms']),
            sealed_args: null,
          })
          .where('id', '=', it.id),
      { unlessChanged: 'closed' },
    ),
  };
}

type On = Extract<RetainedEnd, { state: 'queued' }>['on'];
type Guard = Pick<On, 'endpointId' | 'endpointVersion'>;

/** Statements that change no values: they lock the preconditions of a decision until it is stored, or refuse it. */
function guardsOf({ build }: Database) {
  const moved = { unlessChanged: 'moved' } as const;
  return {
    endpointIs: writing(
      (it: Guard) =>
        build
          .updateTable('endpoints')
          .set((row) => ({ version: row.ref('version') }))
          .where('id', '=', it.endpointId)
          .where('version', '=', it.endpointVersion),
      moved,
    ),
    keyLives: writing(
      (it: { id: string }) =>
        build
          .updateTable('api_keys')
          .set((row) => ({ name: row.ref('name') }))
          .where('id', '=', it.id)
          .where('revoked_at_ms', 'is', null),
      moved,
    ),
    hasRole: writing(
      (it: { workspaceId: string; userId: string; role: Role }) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspaceId)
          .where('user_id', '=', it.userId)
          .where('role', '=', it.role),
      moved,
    ),
    isMember: writing(
      (it: { workspace_id: string; user_id: string }) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.user_id),
      moved,
    ),
  };
}
