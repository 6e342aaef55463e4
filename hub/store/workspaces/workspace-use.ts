import { sql } from 'kysely';
import type { HostedUse, WorkspaceUse } from '../../engine/ports/workspaces.ts';
import { type Database, firstRow } from '../database.ts';
import { firstIdOf } from '../executions/first-id.ts';
import { reading } from '../unit/precompile.ts';

export class StoredWorkspaceUse implements WorkspaceUse {
  readonly #database: Database;
  readonly #hosted: ReturnType<typeof hostedQuery>;

  constructor(database: Database) {
    this.#database = database;
    this.#hosted = hostedQuery(database);
  }

  async hostedSince(workspaceId: string, sinceMs: number): Promise<HostedUse> {
    const since = { workspace_id: workspaceId, since_id: firstIdOf(sinceMs) };
    const row = await firstRow(this.#database, this.#hosted(since));
    return { used: Number(row?.used ?? 0), running: Number(row?.running ?? 0) };
  }
}

function hostedQuery({ build }: Database) {
  return reading((it: { workspace_id: string; since_id: string }) =>
    build
      .selectFrom('executions')
      .select((row) => [
        row.fn.countAll().as('used'),
        row.fn.sum<number>(sql`case when state = 'running' then 1 else 0 end`).as('running'),
      ])
      .where('workspace_id', '=', it.workspace_id)
      .where('id', '>=', it.since_id)
      // In the words of its index, or the index is not used.
      .where(sql<boolean>`agent_name = 'hosted'`)
      .where(sql<boolean>`state <> 'rejected'`),
  );
}
