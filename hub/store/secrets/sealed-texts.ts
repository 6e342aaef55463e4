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

  async notUnder(keyId: string, limit: number): Promise<SealedText[]> {
    const asked = { sealed_so: `v1.${keyId}.%`, limit };
    const [secrets, executions] = await Promise.all([
      this.#database.rows(this.#queries.secrets(asked)),
      this.#database.rows(this.#queries.executions(asked)),
    ]);
    const found = [
      ...secrets.map(({ name, ...row }) => ({ place: 'secret' as const, id: name, ...row })),
      ...executions.map((row) => ({ place: 'arguments' as const, ...row, sealed: row.sealed ?? '' })),
    ];
    return found.map(({ workspace_id, ...text }) => ({ ...text, workspaceId: workspace_id })).slice(0, limit);
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

function queriesOf({ build }: Database) {
  type Asked = { readonly sealed_so: string; readonly limit: number };
  return {
    secrets: reading((it: Asked) =>
      build
        .selectFrom('secrets')
        .select(['workspace_id', 'name', 'sealed'])
        .where('sealed', 'not like', it.sealed_so)
        .orderBy('workspace_id')
        .orderBy('name')
        .limit(it.limit),
    ),
    executions: reading((it: Asked) =>
      build
        .selectFrom('executions')
        .select(['workspace_id', 'id', 'sealed_args as sealed'])
        .where('sealed_args', 'is not', null)
        .where('sealed_args', 'not like', it.sealed_so)
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
