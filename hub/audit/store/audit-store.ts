import type { StoredLink } from '@svc/core/audit/chain';
import type { AuditRecord } from '@svc/core/audit/entry';
import { parseAuditRecord } from '@svc/core/audit/wire-record';
import { sql } from 'kysely';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { boundedScan, type Way } from '../../platform/db/reading/bounded-scan.ts';
import { type Condition, cursorAfter, equal, idOfCursor, walkOf } from '../../platform/db/reading/walk.ts';
import { once, reading } from '../../platform/db/unit/precompile.ts';
import type { PageOfItems } from '../../platform/page-of-items.ts';
import type { AuditFilter, AuditHead } from '../audit-ports.ts';
import type { AuditEntryRow, AuditHeadRow } from './table.ts';

/** Reads audit logs. */
export class AuditLog {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** A page of entries, newest first. */
  async page(filter: AuditFilter): Promise<PageOfItems<AuditRecord>> {
    const { build, reader } = this.#database;
    const { workspaceId, cursor, limit } = filter;
    const before = cursor === undefined ? undefined : seqOf(cursor);
    const { keys, next, isPartial } = await boundedScan(reader, waysOf({ build }, filter), { before, limit });
    const query = build
      .selectFrom('audit_entries')
      .select(['text', 'hash'])
      .where('workspace_id', '=', workspaceId)
      .where('seq', 'in', keys)
      .orderBy('seq', 'desc');
    const rows = keys.length === 0 ? [] : await reader.rows(once(query));
    return {
      items: rows.map(readRecord),
      nextCursor: next === undefined ? undefined : cursorAfter(String(next)),
      isPartial,
    };
  }

  /** The entries after `seq`, in the order of the chain. */
  async recordsAfter(workspaceId: string, seq: number, limit: number): Promise<AuditRecord[]> {
    const rows = await this.#database.reader.rows(
      this.#queries.after({ workspace_id: workspaceId, seq, limit }),
    );
    return rows.map(readRecord);
  }

  /** The rows after `seq`, in the order of the chain, unparsed. */
  async linksAfter(workspaceId: string, seq: number, limit: number): Promise<StoredLink[]> {
    const rows = await this.#database.reader.rows(
      this.#queries.after({ workspace_id: workspaceId, seq, limit }),
    );
    return rows.map(linkOf);
  }

  async head(workspaceId: string): Promise<AuditHead | undefined> {
    const row = await firstRow(this.#database, this.#queries.head({ workspace_id: workspaceId }));
    return row && headOf(row);
  }

  /** The ends of all logs after the given workspace, sorted by workspace id. */
  async headsAfter(workspaceId: string, limit: number): Promise<AuditHead[]> {
    const rows = await this.#database.reader.rows(
      this.#queries.headsAfter({ workspace_id: workspaceId, limit }),
    );
    return rows.map(headOf);
  }
}

function readRecord({ text, hash }: Pick<AuditEntryRow, 'text' | 'hash'>): AuditRecord {
  const record = parseAuditRecord(text, hash);
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

/** Action and actor each have an index; name and time range are filtered by a scan. */
function waysOf(database: Pick<Database, 'build'>, filter: AuditFilter): Way<number>[] {
  const { workspaceId, action, actorId, name, fromMs, untilMs } = filter;
  const within = sql<boolean>`t.workspace_id = ${workspaceId}`;
  const matching = [
    ...equal('t.action', action),
    ...equal('t.actor_id', actorId),
    ...(name === undefined ? [] : [hasName(name)]),
    ...(fromMs === undefined ? [] : [sql<boolean>`t.at_ms >= ${fromMs}`]),
    ...(untilMs === undefined ? [] : [sql<boolean>`t.at_ms < ${untilMs}`]),
  ];
  const walk = (conditions: readonly Condition[]) => {
    const along = [...equal('workspace_id', workspaceId), ...conditions];
    return [walkOf<number>(database, { table: 'audit_entries', key: 'seq', along, matching, within })];
  };
  const indexed = [equal('action', action), equal('actor_id', actorId)].filter((one) => one.length > 0);
  return (indexed.length === 0 ? [[]] : indexed).map(walk);
}

/**
 * The text of an entry is JSON, in which a name stands as `"name":"…`. Quotes within a value are escaped, so no value can look
 * like a name. Both databases have `replace`, and `lower` for ASCII.
 */
function hasName(beginning: string): Condition {
  const stored = JSON.stringify({ name: beginning }).slice(1, -2);
  return sql<boolean>`(replace(t.text, ${stored}, '') <> t.text or replace(lower(t.text), ${stored.toLowerCase()}, '') <> lower(t.text))`;
}

/** A cursor of another list gives 0. */
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
