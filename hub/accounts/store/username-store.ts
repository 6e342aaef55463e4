import type { AuditEntry } from '@svc/core/audit/entry';
import type { OldUrls } from '@svc/core/workspace/username';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';
import { formerUsernamesJson } from '../../workspaces/store/former-usernames.ts';
import type { FormerUsername, Workspace } from '../account-ports.ts';

/** A change of the username of a workspace, as it was read for the decision. */
interface UsernameChange {
  readonly workspace: Workspace;
  readonly from: string;
  readonly to: string;
  /** All former usernames afterwards. */
  readonly former: readonly string[];
  readonly oldUrls: OldUrls;
}

/** Changes of usernames, and former usernames (decision 102, change of username). */
export class Usernames {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'commit'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'commit'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = queriesOf(database);
  }

  /** A former username; undefined: no workspace had the name, or it is a present one. */
  async former(username: string): Promise<FormerUsername | undefined> {
    const row = await firstRow(this.#database, this.#queries.former({ username }));
    if (row?.old_urls == null || row.present === null) return undefined;
    return { username, workspaceId: row.workspace_id, oldUrls: row.old_urls, present: row.present };
  }

  /** The former usernames of a workspace, oldest first. */
  async formerOf(workspaceId: string) {
    const rows = await this.#database.rows(this.#queries.formerOf({ workspace_id: workspaceId }));
    return rows.map(({ username, old_urls, retired_at_ms }) => ({
      username,
      oldUrls: old_urls ?? 'gone',
      retiredAtMs: retired_at_ms ?? 0,
    }));
  }

  /** The statements that give a workspace its first username, as part of a larger unit of work. */
  choosing({ workspaceId, username }: { readonly workspaceId: string; readonly username: string }) {
    const chosen = { workspace_id: workspaceId, username };
    const { reserveUsername, setUsername } = this.#queries;
    return [reserveUsername(chosen), setUsername(chosen)];
  }

  async choose(
    workspaceId: string,
    username: string,
    entry: AuditEntry,
  ): Promise<'stored' | 'taken' | 'chosen_already'> {
    const unit = this.choosing({ workspaceId, username });
    return await this.#auditWriter.commit(makingStale(unit, { kind: 'workspace', id: workspaceId }), entry);
  }

  /**
   * Gives a workspace another username, by compare-and-set on the names that the change was decided on. The old username stays
   * reserved for the workspace, and the redirect address that its sign-in provider knows does not change.
   */
  async change(change: UsernameChange, entry: AuditEntry): Promise<'stored' | 'taken' | 'changed'> {
    const { workspace, from, to, former, oldUrls } = change;
    const { rename, takeUsername, retireUsername, keepCallback } = this.#queries;
    const of = { workspace_id: workspace.id };
    const unit = [
      // This comes first, so that the username of another workspace is refused before the unique index is violated.
      takeUsername({ ...of, username: to }),
      rename({
        ...of,
        ...{ from, to, former: JSON.stringify(former) },
        seen: formerUsernamesJson(workspace.formerUsernames) ?? '',
      }),
      retireUsername({ ...of, username: from, old_urls: oldUrls, now_ms: entry.atMs }),
      keepCallback({ ...of, username: from }),
    ];
    const stale = makingStale(unit, { kind: 'workspace', id: workspace.id });
    return await this.#auditWriter.commit(stale, entry);
  }

  /** Changes what URLs with a former username answer; false when the workspace has no such former username. */
  async setOldUrls(
    workspaceId: string,
    { username, oldUrls }: Pick<FormerUsername, 'username' | 'oldUrls'>,
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#queries.setOldUrls({ workspace_id: workspaceId, username, old_urls: oldUrls })];
    const stale = makingStale(unit, { kind: 'workspace', id: workspaceId });
    return (await this.#auditWriter.commit(stale, entry)) === 'stored';
  }
}

function queriesOf({ build }: Database) {
  return {
    former: reading((it: { username: string }) =>
      build
        .selectFrom('usernames')
        .innerJoin('workspaces', 'workspaces.id', 'usernames.workspace_id')
        .select(['usernames.workspace_id', 'usernames.old_urls', 'workspaces.username as present'])
        .where('usernames.username', '=', it.username)
        .where('usernames.retired_at_ms', 'is not', null)
        .where('workspaces.deleted_at_ms', 'is', null),
    ),
    formerOf: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('usernames')
        .select(['username', 'old_urls', 'retired_at_ms'])
        .where('workspace_id', '=', it.workspace_id)
        .where('retired_at_ms', 'is not', null)
        .orderBy('retired_at_ms')
        .orderBy('username'),
    ),
    rename: writing(
      (it: { workspace_id: string; from: string; to: string; former: string; seen: string }) =>
        build
          .updateTable('workspaces')
          .set({ username: it.to, former_usernames: it.former })
          .where('id', '=', it.workspace_id)
          .where('username', '=', it.from)
          .where((row) => row(row.fn.coalesce('former_usernames', row.val('')), '=', it.seen))
          .where('deleted_at_ms', 'is', null),
      { unlessChanged: 'changed' },
    ),
    /** Takes a free username, or a former one of the same workspace. */
    takeUsername: writing(
      (it: { workspace_id: string; username: string }) =>
        build
          .insertInto('usernames')
          .values({ workspace_id: it.workspace_id, username: it.username })
          .onConflict((conflict) =>
            conflict
              .column('username')
              .doUpdateSet({ old_urls: null, retired_at_ms: null })
              .where('usernames.workspace_id', '=', it.workspace_id),
          ),
      { unlessChanged: 'taken' },
    ),
    retireUsername: writing(
      (it: { workspace_id: string; username: string; old_urls: OldUrls; now_ms: number }) =>
        build
          .updateTable('usernames')
          .set({ old_urls: it.old_urls, retired_at_ms: it.now_ms })
          .where('workspace_id', '=', it.workspace_id)
          .where('username', '=', it.username),
    ),
    keepCallback: writing((it: { workspace_id: string; username: string }) =>
      build
        .updateTable('workspace_providers')
        .set({ callback_username: it.username })
        .where('workspace_id', '=', it.workspace_id)
        .where('callback_username', 'is', null),
    ),
    setOldUrls: writing(
      (it: { workspace_id: string; username: string; old_urls: OldUrls }) =>
        build
          .updateTable('usernames')
          .set({ old_urls: it.old_urls })
          .where('workspace_id', '=', it.workspace_id)
          .where('username', '=', it.username)
          .where('retired_at_ms', 'is not', null),
      { unlessChanged: 'none' },
    ),
    reserveUsername: writing(
      (it: { workspace_id: string; username: string }) =>
        build
          .insertInto('usernames')
          .values(slotsOf(it, ['username', 'workspace_id']))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'taken' },
    ),
    setUsername: writing(
      (it: { workspace_id: string; username: string }) =>
        build
          .updateTable('workspaces')
          .set({ username: it.username })
          .where('id', '=', it.workspace_id)
          .where('username', 'is', null),
      { unlessChanged: 'chosen_already' },
    ),
  };
}
