import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval, ApprovalClosing } from '@svc/core/approval/approval';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { ReceivedFile } from '@svc/core/execution/received-file';
import { sql } from 'kysely';
import type { PublishedEvents } from '../../alerts/store/published-events.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { Acceptance, IdempotencyClaim } from '../../executions/execution-ports.ts';
import type { Acceptor } from '../../executions/store/execution-store.ts';
import type { Quota } from '../../executions/store/quota.ts';
import type { Passkeys } from '../../passkeys/store/passkey-store.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { boundedScan } from '../../platform/db/reading/bounded-scan.ts';
import { type Condition, cursorAfter, equal, idOfCursor, walkOf } from '../../platform/db/reading/walk.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import { type UnitOfWork, withEvent } from '../../platform/db/unit/statement.ts';
import type { PageOfItems } from '../../platform/page-of-items.ts';
import type {
  ApprovalFilter,
  Approvals,
  ClosedAlong,
  NewPendingCall,
  RetainedEnd,
} from '../approval-ports.ts';
import { approvalQueries, IS_PENDING } from './queries.ts';
import { APPROVAL_COLUMNS, approvalOf, approvalRow, closingColumns } from './row.ts';

/** The stores whose rows are written together with approvals. */
interface ApprovalParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly acceptor: Acceptor;
  readonly quota: Quota;
  readonly events: Pick<PublishedEvents, 'statementFor'>;
  readonly passkeys: Pick<Passkeys, 'using'>;
}

type Refused = 'closed' | 'moved' | 'changed' | 'quota_exceeded';

export class StoredApprovals implements Approvals {
  readonly #database: Database;
  readonly #parts: ApprovalParts;
  readonly #queries: ReturnType<typeof approvalQueries>;

  constructor(database: Database, parts: ApprovalParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = approvalQueries(database);
  }

  addPending(
    { execution, approval, alerts }: NewPendingCall,
    idempotency?: IdempotencyClaim,
  ): Promise<Acceptance> {
    return this.#parts.acceptor.accept(execution, undefined, idempotency, [
      withEvent(this.#queries.add(approvalRow(approval)), { kind: 'approval_opened', approval }),
      ...this.#alertStatements(alerts),
    ]);
  }

  async find(id: string): Promise<Approval | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id }));
    return row && approvalOf(row);
  }

  async ofExecution(executionId: string): Promise<Approval | undefined> {
    const row = await firstRow(this.#database, this.#queries.ofExecution({ execution_id: executionId }));
    return row && approvalOf(row);
  }

  async list(filter: ApprovalFilter) {
    return await approvalPage(this.#database, filter);
  }

  async pendingOf({ workspaceId, slug }: Parameters<Approvals['pendingOf']>[0], limit: number) {
    const pending = this.#queries.pendingOf({ workspace_id: workspaceId, slug, limit });
    return (await this.#database.rows(pending)).length;
  }

  async keptBytes(workspaceId: string): Promise<number> {
    const it = { workspace_id: workspaceId };
    const rows = [
      ...(await this.#database.rows(this.#queries.keptPending(it))),
      ...(await this.#database.rows(this.#queries.keptApproved(it))),
    ];
    const files = rows.flatMap((row) => JSON.parse(row.files ?? '[]') as Pick<ReceivedFile, 'bytes'>[]);
    return files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async due(nowMs: number, limit: number): Promise<Approval[]> {
    return (await this.#database.rows(this.#queries.due({ now_ms: nowMs, limit }))).map(approvalOf);
  }

  async close(
    approval: Approval,
    closing: ApprovalClosing,
    end: RetainedEnd,
    { entry, alerts, decidedBy, passkey }: ClosedAlong,
  ): Promise<Refused | 'stored'> {
    if (end.state === 'queued' && end.quota.limit !== undefined && end.quota.limit < 1)
      return 'quota_exceeded';
    const close = this.#queries.close({ id: approval.id, ...closingColumns(closing) });
    const reason = end.state === 'queued' ? undefined : end.reason;
    const unit: UnitOfWork<Refused> = [
      withEvent(close, {
        ...{ kind: 'approval_closed', approval, approvalState: closing.state, state: end.state, reason },
      }),
      ...this.#ending(approval, closing.atMs, end),
      ...(decidedBy === undefined
        ? []
        : [this.#queries.hasRole({ ...decidedBy, workspaceId: approval.workspaceId })]),
      ...(passkey === undefined ? [] : [this.#parts.passkeys.using(passkey.passkey, passkey.use)]),
      ...this.#alertStatements(alerts),
    ];
    return await (entry === undefined
      ? this.#database.commit(unit)
      : this.#parts.auditWriter.commit(unit, entry));
  }

  async note(entry: AuditEntry): Promise<void> {
    await this.#parts.auditWriter.commit([], entry);
  }

  #alertStatements(alerts: readonly AlertEvent[]): UnitOfWork<never> {
    return alerts.map((event) => this.#parts.events.statementFor(event));
  }

  #ending({ executionId: id, workspaceId }: Approval, atMs: number, end: RetainedEnd): UnitOfWork<Refused> {
    const { queue, signed, end: ended, endpointIs, keyLives, isMember } = this.#queries;
    if (end.state !== 'queued') {
      const { state, reason = null, error, errorCode } = end;
      return [ended({ id, state, reason, error, error_code: errorCode, ended_at_ms: atMs })];
    }
    const { apiKeyId, memberId } = end.on;
    return [
      queue({ id, hub_id: end.hubId, queued_at_ms: atMs }),
      ...(end.sealedApproval === undefined ? [] : [signed({ id, sealed_args: end.sealedApproval })]),
      endpointIs(end.on),
      ...(apiKeyId === undefined ? [] : [keyLives({ id: apiKeyId })]),
      ...(memberId === undefined ? [] : [isMember({ workspace_id: workspaceId, user_id: memberId })]),
      this.#parts.quota.take(end.quota),
    ];
  }
}

/** Newest first. There are indexes for the approvals of a workspace, and for all pending approvals. */
async function approvalPage(
  { build, reader }: Pick<Database, 'build' | 'reader'>,
  filter: ApprovalFilter,
): Promise<PageOfItems<Approval>> {
  const { cursor, limit } = filter;
  const before = cursor === undefined ? undefined : idOfCursor(cursor);
  const walk = walkOf<string>({ build }, { table: 'approvals', key: 'id', ...conditionsOf(filter) });
  const { keys, next, isPartial } = await boundedScan(reader, [[walk]], { before, limit });
  const query = build.selectFrom('approvals').select(APPROVAL_COLUMNS).where('id', 'in', keys);
  const rows = keys.length === 0 ? [] : await reader.rows(once(query.orderBy('id', 'desc')));
  return { items: rows.map(approvalOf), nextCursor: next && cursorAfter(next), isPartial };
}

function conditionsOf({ workspaceId, states, slug }: ApprovalFilter): {
  along: Condition[];
  matching: Condition[];
} {
  const isPendingOnly = states?.length === 1 && states[0] === 'pending';
  const matching = [
    ...equal('t.slug', slug),
    ...(states === undefined ? [] : [sql<boolean>`t.state in (${sql.join([...states])})`]),
  ];
  if (!isPendingOnly) return { along: equal('workspace_id', workspaceId), matching };
  // NOTE: The index of pending approvals begins with their expiry. The workspace is hidden from SQLite, which would
  // otherwise use the index of workspaces and walk through all approvals ever decided.
  const ofWorkspace = sql<boolean>`workspace_id || '' = ${workspaceId}`;
  return { along: [IS_PENDING, sql<boolean>`expires_at_ms > 0`, ofWorkspace], matching };
}
