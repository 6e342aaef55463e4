import type { AuditEntry } from '@svc/core/audit/entry';
import { sql } from 'kysely';
import type { Workspace } from '../../accounts/account-ports.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { ExecutionRemoval, ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { Tables } from '../../schema.ts';
import type { DeletedWorkspace } from '../../workspaces/workspace-ports.ts';
import { TABLES_OF_USER, WORKSPACE_TABLES } from './workspace-tables.ts';

const MAX_EXECUTIONS_PER_STEP = 200;

/** Deletes workspaces: hides them at once, then removes their rows in small units of work. */
export class WorkspaceRemoval {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'close'>;
  readonly #removal: ExecutionRemoval;
  readonly #queries: ReturnType<typeof queriesOf>;
  readonly #tables: readonly ((it: OfWorkspace) => Statement<'none_left'>)[];

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'close'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#removal = new ExecutionRemoval(database);
    this.#queries = queriesOf(database);
    this.#tables = WORKSPACE_TABLES.filter(([table]) => table !== 'executions').map(([table, key]) =>
      rowsOf(database, table, key),
    );
  }

  /**
   * Begins a removal in one transaction: hides the workspace, revokes its keys, tokens and invitations, ends the sessions of
   * its owner unless an earlier workspace of theirs is left, and closes its audit log with this entry. False when another
   * request was first, or the owner is another one.
   */
  async begin({ id, ownerId }: Pick<Workspace, 'id' | 'ownerId'>, entry: AuditEntry): Promise<boolean> {
    const { mark, revokeKeys, revokeAgentTokens, endTokens, endSessionsOfOwner, withdrawInvites, dropCodes } =
      this.#queries;
    const it = { workspace_id: id, owner_id: ownerId, now_ms: entry.atMs };
    const unit = [
      mark(it),
      revokeKeys(it),
      revokeAgentTokens(it),
      endTokens(it),
      endSessionsOfOwner(it),
      withdrawInvites(it),
      dropCodes(it),
    ];
    const stale = makingStale(
      unit,
      { kind: 'workspace', id },
      { kind: 'keys_of_workspace', workspaceId: id },
      { kind: 'endpoints', workspaceId: id },
      { kind: 'pipelines', workspaceId: id },
    );
    return (await this.#auditWriter.close(stale, entry)) === 'stored';
  }

  /** The workspaces whose removal has begun at any hub and is not complete. */
  async begun(): Promise<DeletedWorkspace[]> {
    const rows = await this.#database.rows(this.#queries.begun({}));
    return rows.map(({ id, owner_id, deleted_at_ms }) => ({
      id,
      ownerId: owner_id,
      deletedAtMs: deleted_at_ms ?? 0,
    }));
  }

  /** Its queued and running executions. */
  async unfinished(workspaceId: string) {
    const rows = await this.#database.rows(this.#queries.unfinished({ workspace_id: workspaceId }));
    return rows.map(({ id, state, created_at_ms }) => ({
      id,
      state,
      workspaceId,
      createdAtMs: created_at_ms,
    }));
  }

  /**
   * Removes some of its rows in one short transaction; `gone` when none are left. Several hubs may do it at once, and
   * again after a crash. It removes the owner, too, unless they are in a team or have a new workspace.
   */
  async removeSome({ id, ownerId }: DeletedWorkspace): Promise<'more' | 'gone'> {
    const it = { workspace_id: id };
    const executions = await this.#database.rows(this.#queries.executions(it));
    for (const unit of this.#removal.units(executions)) await this.#database.commit(unit);
    if (executions.length > 0) return 'more';
    for (const rows of this.#tables)
      if ((await this.#database.commit([rows(it)])) === 'stored') return 'more';
    // Rows written meanwhile keep the workspace's row, and are removed first.
    await this.#database.commit(this.#last(id, ownerId));
    return (await firstRow(this.#database, this.#queries.row(it))) === undefined ? 'gone' : 'more';
  }

  /** The account of the owner stays only while they are in a team or have a workspace. */
  #last(workspaceId: string, ownerId: string): Statement<never>[] {
    const { removeWorkspace, removeOfUser, removeUser } = this.#queries;
    const owner = { user_id: ownerId };
    const own = removeOfUser.map((remove) => remove(owner));
    return [removeWorkspace({ workspace_id: workspaceId }), ...own, removeUser(owner)];
  }
}

interface OfWorkspace {
  readonly workspace_id: string;
}

function rowsOf({ build }: Database, table: keyof Tables, key: readonly string[]) {
  const [from, columns] = [sql.table(table), sql.join(key.map((column) => sql.ref(column)))];
  return writing(
    (it: OfWorkspace) => {
      const own = ownedBy(table, it);
      const some = sql`select ${columns} from ${from} where ${own} limit ${sql.lit(ROWS_PER_BATCH)}`;
      return { compile: () => sql`delete from ${from} where (${columns}) in (${some})`.compile(build) };
    },
    { unlessChanged: 'none_left' },
  );
}

/** Rows that refer only to their parent are removed before it. */
function ownedBy(table: keyof Tables, { workspace_id }: OfWorkspace) {
  switch (table) {
    case 'idempotency':
      return sql`(
        endpoint_id in (select endpoint_id from endpoint_versions where workspace_id = ${workspace_id})
        or endpoint_id in (select pipeline_id from pipeline_versions where workspace_id = ${workspace_id})
      )`;
    case 'pipeline_nodes':
    case 'pipeline_run_inputs':
      return sql`run_id in (select id from pipeline_runs where workspace_id = ${workspace_id})`;
    default:
      return sql`workspace_id = ${workspace_id}`;
  }
}

type Ended = OfWorkspace & { readonly owner_id: string; readonly now_ms: number };

function queriesOf(database: Database) {
  return { ...readsOf(database), ...endsOf(database), ...lastOf(database) };
}

function readsOf({ build }: Database) {
  const executions = build.selectFrom('executions').orderBy('id');
  return {
    begun: reading(() =>
      build
        .selectFrom('workspaces')
        .select(['id', 'owner_id', 'deleted_at_ms'])
        .where('deleted_at_ms', 'is not', null)
        .orderBy('id'),
    ),
    row: reading((it: OfWorkspace) =>
      build.selectFrom('workspaces').select('id').where('id', '=', it.workspace_id),
    ),
    unfinished: reading((it: OfWorkspace) =>
      executions
        .select(['id', 'state', 'created_at_ms'])
        .where('workspace_id', '=', it.workspace_id)
        .where(sql<boolean>`state in ('queued', 'running')`),
    ),
    executions: reading((it: OfWorkspace) =>
      executions
        .select(['id', 'last_seq'])
        .where('workspace_id', '=', it.workspace_id)
        .limit(MAX_EXECUTIONS_PER_STEP),
    ),
  };
}

function endsOf({ build }: Database) {
  const ending = (it: Ended) =>
    build
      .updateTable('access_tokens')
      .set({ expires_at_ms: it.now_ms })
      .where('expires_at_ms', '>', it.now_ms);
  const revoking = (table: 'api_keys' | 'agent_tokens') =>
    writing((it: Ended) =>
      build
        .updateTable(table)
        .set({ revoked_at_ms: it.now_ms })
        .where('workspace_id', '=', it.workspace_id)
        .where('revoked_at_ms', 'is', null),
    );
  return {
    /** Raises the revision of the team, so that pending decisions on it are not stored. */
    mark: writing(
      (it: Ended) =>
        build
          .updateTable('workspaces')
          .set((row) => ({ deleted_at_ms: it.now_ms, team_revision: row('team_revision', '+', 1) }))
          .where('id', '=', it.workspace_id)
          .where('owner_id', '=', it.owner_id)
          .where('deleted_at_ms', 'is', null),
      { unlessChanged: 'deleted_already' },
    ),
    revokeKeys: revoking('api_keys'),
    revokeAgentTokens: revoking('agent_tokens'),
    endTokens: writing((it: Ended) => ending(it).where('workspace_id', '=', it.workspace_id)),
    /**
     * A session carries the epoch of the owner in their first workspace (decision 44, sign-in), so it ends only with that one. Each access
     * token belongs to one workspace.
     */
    endSessionsOfOwner: writing((it: Ended) =>
      ending(it)
        .where('user_id', '=', it.owner_id)
        .where('access_tokens.workspace_id', 'is', null)
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('workspaces')
                .innerJoin('members', 'members.workspace_id', 'workspaces.id')
                .innerJoin('members as here', 'here.user_id', 'members.user_id')
                .select('workspaces.id')
                .where('here.workspace_id', '=', it.workspace_id)
                .where('members.user_id', '=', it.owner_id)
                .where('workspaces.owner_id', '=', it.owner_id)
                .where('workspaces.id', '!=', it.workspace_id)
                .where('workspaces.deleted_at_ms', 'is', null)
                .where((of) =>
                  of(
                    of.refTuple('members.joined_at_ms', 'workspaces.id'),
                    '<',
                    of.refTuple('here.joined_at_ms', 'here.workspace_id'),
                  ),
                ),
            ),
          ),
        ),
    ),
    withdrawInvites: writing((it: Ended) =>
      build
        .updateTable('invites')
        .set({ state: 'withdrawn', closed_at_ms: it.now_ms })
        .where('workspace_id', '=', it.workspace_id)
        .where('state', '=', 'pending'),
    ),
    dropCodes: writing((it: Ended) =>
      build.deleteFrom('device_codes').where('workspace_id', '=', it.workspace_id),
    ),
  };
}

function lastOf({ build }: Database) {
  const isNowhere = sql<boolean>`not exists (select 1 from members where members.user_id = users.id)`;
  const ownsNothing = sql<boolean>`not exists (select 1 from workspaces where owner_id = users.id)`;
  return {
    removeWorkspace: writing((it: OfWorkspace) =>
      build
        .deleteFrom('workspaces')
        .where('id', '=', it.workspace_id)
        .where(
          sql<boolean>`not exists (select 1 from executions where executions.workspace_id = workspaces.id)`,
        ),
    ),
    removeOfUser: TABLES_OF_USER.map((table) =>
      writing((it: { user_id: string }) =>
        build
          .deleteFrom(table)
          .where('user_id', 'in', (of) =>
            of
              .selectFrom('users')
              .select('id')
              .where('id', '=', it.user_id)
              .where(isNowhere)
              .where(ownsNothing),
          ),
      ),
    ),
    removeUser: writing((it: { user_id: string }) =>
      build.deleteFrom('users').where('id', '=', it.user_id).where(isNowhere).where(ownsNothing),
    ),
  };
}
