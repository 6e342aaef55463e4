import type { StoredLink } from '@svc/core/audit/chain';
import type { AuditRecord } from '@svc/core/audit/entry';
import { recordOf } from '@svc/core/audit/wire-record';
import type { AuditFilter, AuditHead, AuditLog } from '../../engine/ports/audit.ts';
import { type Database, firstRow } from '../database.ts';
import { cursorAfter, idOfCursor } from '../executions/cursor.ts';
import { once, reading } from '../unit/precompile.ts';
import type { AuditEntryRow, AuditHeadRow } from './table.ts';

/** What was appended, read again. */
export class StoredAuditLog implements AuditLog {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async page(filter: AuditFilter): Promise<{ items: AuditRecord[]; nextCursor: string | undefined }> {
    const rows = await this.#database.rows(once(pageQuery(this.#database, filter)));
    const items = rows.slice(0, filter.limit).map(readRecord);
    const last = rows.length > filter.limit ? items.at(-1) : undefined;
    return { items, nextCursor: last && cursorAfter(String(last.seq)) };
  }

  async recordsAfter(workspaceId: string, seq: number, limit: number): Promise<AuditRecord[]> {
    const rows = await this.#database.rows(this.#queries.after({ workspace_id: workspaceId, seq, limit }));
    return rows.map(readRecord);
  }

  async linksAfter(workspaceId: string, seq: number, limit: number): Promise<StoredLink[]> {
    const rows = await this.#database.rows(this.#queries.after({ workspace_id: workspaceId, seq, limit }));
    return rows.map(linkOf);
  }

  async head(workspaceId: string): Promise<AuditHead | undefined> {
    const row = await firstRow(this.#database, this.#queries.head({ workspace_id: workspaceId }));
    return row && headOf(row);
  }

  async headsAfter(workspaceId: string, limit: number): Promise<AuditHead[]> {
    const rows = await this.#database.rows(this.#queries.headsAfter({ workspace_id: workspaceId, limit }));
    return rows.map(headOf);
  }
}

function readRecord({ text, hash }: Pick<AuditEntryRow, 'text' | 'hash'>): AuditRecord {
  const record = recordOf(text, hash);
  if (record === undefined)
    throw new Error('an entry of an audit log cannot be read: svc admin verify-audit');
  return record;
}

function linkOf({ workspace_id, at_ms, actor_id, ...row }: AuditEntryRow): StoredLink {
  return { ...row, workspaceId: workspace_id, atMs: at_ms, actorId: actor_id ?? undefined };
}

function headOf({ workspace_id, seq, hash, closed_at_ms }: AuditHeadRow): AuditHead {
  return { workspaceId: workspace_id, seq, hash, closedAtMs: closed_at_ms ?? undefined };
}

/** One row more than asked for says whether there is another page. */
function pageQuery({ build }: Database, filter: AuditFilter) {
  const { workspaceId, action, actorId, fromMs, untilMs, cursor, limit } = filter;
  const before = cursor === undefined ? undefined : seqOf(cursor);
  return build
    .selectFrom('audit_entries')
    .select(['text', 'hash'])
    .where('workspace_id', '=', workspaceId)
    .$if(action !== undefined, (it) => it.where('action', '=', action ?? ''))
    .$if(actorId !== undefined, (it) => it.where('actor_id', '=', actorId ?? ''))
    .$if(fromMs !== undefined, (it) => it.where('at_ms', '>=', fromMs ?? 0))
    .$if(untilMs !== undefined, (it) => it.where('at_ms', '<', untilMs ?? 0))
    .$if(before !== undefined, (it) => it.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit + 1);
}

/** A cursor of another list leads nowhere. */
function seqOf(cursor: string): number {
  const seq = Number(idOfCursor(cursor));
  return Number.isSafeInteger(seq) ? seq : 0;
}

function queriesOf({ build }: Database) {
  const heads = build.selectFrom('audit_heads').select(['workspace_id', 'seq', 'hash', 'closed_at_ms']);
  return {
    after: reading((it: { workspace_id: string; seq: number; limit: number }) =>
      build
        .selectFrom('audit_entries')
        .select(['workspace_id', 'seq', 'at_ms', 'action', 'actor_id', 'text', 'hash'])
        .where('workspace_id', '=', it.workspace_id)
        .where('seq', '>', it.seq)
        .orderBy('seq')
        .limit(it.limit),
    ),
    head: reading((it: { workspace_id: string }) => heads.where('workspace_id', '=', it.workspace_id)),
    headsAfter: reading((it: { workspace_id: string; limit: number }) =>
      heads.where('workspace_id', '>', it.workspace_id).orderBy('workspace_id').limit(it.limit),
    ),
  };
}
