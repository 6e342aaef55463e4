import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { auditText, CHAIN_START, type ChainEnd } from '@svc/core/audit/chain';
import type { AuditEntry } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { unavailable } from '../../platform/db/unavailable.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { type Statement, type UnitOfWork, withEvent } from '../../platform/db/unit/statement.ts';
import type { AuditEntryRow, AuditHeadRow } from './table.ts';

/** Another hub or `svc admin` has appended meanwhile. Within one hub the appends to a log are serialized. */
const MOVED = 'audit_moved';
/** Far more attempts than concurrent hubs need. */
const ATTEMPTS = 200;
const LONGEST_PAUSE_MS = 40;

type AuditDatabase = Pick<Database, 'build' | 'rows' | 'commit'>;
/** First the end of the log moves. */
type Append = readonly [move: Statement<typeof MOVED>, ...rest: Statement<never>[]];

/**
 * The only writer of audit logs: a change and its entry are stored together or not at all (decision 48, the audit log).
 *
 * An entry contains the hash of the previous one, which SQL cannot compute. So it is built for the end of the log as
 * read, and its unit of work is refused and retried when the log has grown.
 */
export class AuditWriter {
  readonly #database: AuditDatabase;
  readonly #queries: ReturnType<typeof queriesOf>;
  /** The last append in progress for each log. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(database: AuditDatabase) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** Commits a change with its entry. Returns the tag of the first unmet expectation; then nothing is stored. */
  commit<Tag extends string>(change: UnitOfWork<Tag>, entry: AuditEntry): Promise<Tag | 'stored'> {
    return this.#inTurn(entry.workspaceId, () => this.#append(change, entry, (link) => this.#adding(link)));
  }

  /** Commits the last entry of a workspace and removes all others. The last hash stays, and the log accepts no more. */
  close<Tag extends string>(change: UnitOfWork<Tag>, entry: AuditEntry): Promise<Tag | 'stored'> {
    return this.#inTurn(entry.workspaceId, () => this.#append(change, entry, (link) => this.#closing(link)));
  }

  async #append<Tag extends string>(
    change: UnitOfWork<Tag>,
    entry: AuditEntry,
    appending: (row: AuditEntryRow) => Append,
  ): Promise<Tag | 'stored'> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const [move, ...appended] = appending(rowOf(entry, await this.#end(entry.workspaceId)));
      const moved = withEvent(move, { kind: 'audit_appended', entry });
      // NOTE: The end of the log comes first, because it is the contended row and the most frequent reason of a refusal.
      const outcome = await this.#database.commit<Tag | typeof MOVED>([moved, ...appended, ...change]);
      if (outcome !== MOVED) return outcome as Tag | 'stored';
      await pause(Math.random() * Math.min(attempt, LONGEST_PAUSE_MS));
    }
    throw unavailable('write', `the audit log of ${entry.workspaceId} was moved ${ATTEMPTS} times`);
  }

  async #end(workspaceId: string): Promise<ChainEnd> {
    const head = await firstRow(this.#database, this.#queries.head({ workspace_id: workspaceId }));
    if (head === undefined) return CHAIN_START;
    if (head.closed_at_ms !== null) throw refuse('not_found', 'this workspace was deleted');
    return head;
  }

  #adding(row: AuditEntryRow): Append {
    return [this.#queries.move(row), this.#queries.add(row)];
  }

  #closing(row: AuditEntryRow): Append {
    const { move, close, empty, add } = this.#queries;
    return [move(row), close(row), empty(row), add(row)];
  }

  async #inTurn<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(workspaceId);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return await work();
    })();
    this.#last.set(workspaceId, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(workspaceId) === turn) this.#last.delete(workspaceId);
    }
  }
}

function rowOf(entry: AuditEntry, end: ChainEnd): AuditEntryRow {
  const text = auditText(entry, end);
  return {
    workspace_id: entry.workspaceId,
    seq: end.seq + 1,
    at_ms: entry.atMs,
    action: entry.action,
    actor_id: entry.actor.id ?? null,
    text,
    hash: hash('sha256', text),
  };
}

const COLUMNS = ['workspace_id', 'seq', 'at_ms', 'action', 'actor_id', 'text', 'hash'] as const;
type Key = Pick<AuditHeadRow, 'workspace_id'>;

function queriesOf({ build }: Pick<Database, 'build'>) {
  return {
    head: reading((it: Key) =>
      build
        .selectFrom('audit_heads')
        .select(['seq', 'hash', 'closed_at_ms'])
        .where('workspace_id', '=', it.workspace_id),
    ),
    move: writing(
      (it: Pick<AuditHeadRow, 'workspace_id' | 'seq' | 'hash'>) =>
        build
          .insertInto('audit_heads')
          .values(slotsOf(it, ['workspace_id', 'seq', 'hash']))
          .onConflict((conflict) =>
            conflict
              .column('workspace_id')
              .doUpdateSet((row) => ({ seq: row.ref('excluded.seq'), hash: row.ref('excluded.hash') }))
              .whereRef('audit_heads.seq', '=', (row) => row('excluded.seq', '-', 1))
              .where('audit_heads.closed_at_ms', 'is', null),
          ),
      { unlessChanged: MOVED, contended: true },
    ),
    add: writing((it: AuditEntryRow) => build.insertInto('audit_entries').values(slotsOf(it, COLUMNS))),
    close: writing((it: Pick<AuditEntryRow, 'workspace_id' | 'at_ms'>) =>
      build
        .updateTable('audit_heads')
        .set({ closed_at_ms: it.at_ms })
        .where('workspace_id', '=', it.workspace_id),
    ),
    empty: writing((it: Key) =>
      build.deleteFrom('audit_entries').where('workspace_id', '=', it.workspace_id),
    ),
  };
}
