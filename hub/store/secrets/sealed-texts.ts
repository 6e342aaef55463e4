import type { SealedText, SealedTexts } from '../../engine/ports/secrets.ts';
import type { Database } from '../database.ts';
import { reading, writing } from '../unit/precompile.ts';

/** Whatever of the store only the vault can read: values of secrets, and secret arguments of what has not been dispatched. */
export class StoredSealedTexts implements SealedTexts {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async notUnder(
    keyId: string,
    place: SealedText['place'],
    after: SealedText | undefined,
    limit: number,
  ): Promise<SealedText[]> {
    const query = this.#queries[place];
    const { workspaceId = '', id = '' } = after ?? {};
    const rows = await this.#database.rows(
      query({ sealed_so: `v1.${keyId}.%`, workspace_id: workspaceId, id, limit }),
    );
    return rows.map((row) => ({
      place,
      workspaceId: row.workspace_id,
      id: row.id,
      sealed: row.sealed ?? '',
    }));
  }

  async replace({ place, workspaceId, id, sealed: old }: SealedText, sealed: string): Promise<boolean> {
    const { replaceSecret, replaceArguments } = this.#queries;
    const replace = place === 'secret' ? replaceSecret : replaceArguments;
    const unit = [replace({ workspace_id: workspaceId, id, old, sealed })];
    return (await this.#database.commit(unit)) === 'stored';
  }
}

interface Replaced {
  readonly workspace_id: string;
  readonly id: string;
  readonly old: string;
  readonly sealed: string;
}

interface Asked {
  readonly sealed_so: string;
  readonly workspace_id: string;
  readonly id: string;
  readonly limit: number;
}

function queriesOf({ build }: Database) {
  return {
    secret: reading((it: Asked) =>
      build
        .selectFrom('secrets')
        .select(['workspace_id', 'name as id', 'sealed'])
        .where('sealed', 'not like', it.sealed_so)
        .where((row) =>
          row.or([
            row('workspace_id', '>', it.workspace_id),
            row.and([row('workspace_id', '=', it.workspace_id), row('name', '>', it.id)]),
          ]),
        )
        .orderBy('workspace_id')
        .orderBy('name')
        .limit(it.limit),
    ),
    arguments: reading((it: Asked) =>
      build
        .selectFrom('executions')
        .select(['workspace_id', 'id', 'sealed_args as sealed'])
        .where('sealed_args', 'is not', null)
        .where('sealed_args', 'not like', it.sealed_so)
        .where('id', '>', it.id)
        .orderBy('id')
        .limit(it.limit),
    ),
    replaceSecret: writing(
      (it: Replaced) =>
        build
          .updateTable('secrets')
          .set({ sealed: it.sealed })
          .where('workspace_id', '=', it.workspace_id)
          .where('name', '=', it.id)
          .where('sealed', '=', it.old),
      { unlessChanged: 'changed' },
    ),
    replaceArguments: writing(
      (it: Replaced) =>
        build
          .updateTable('executions')
          .set({ sealed_args: it.sealed })
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id)
          .where('sealed_args', '=', it.old),
      { unlessChanged: 'changed' },
    ),
  };
}
