import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { EndpointRow, EndpointVersionRow } from './table.ts';

const COLUMNS = [
  'id',
  'workspace_id',
  'slug',
  'source',
  'registered_by',
  'version',
  'created_at_ms',
  'updated_at_ms',
  'secret_exposure',
] as const;
const VERSION_COLUMNS = [
  'endpoint_id',
  'version',
  'definition_hash',
  'definition',
  'created_at_ms',
  'workspace_id',
  'source',
  'overrides',
  'registered_token',
  'registered_instance',
] as const;

type Change = Pick<EndpointRow, 'id' | 'slug' | 'version' | 'updated_at_ms' | 'secret_exposure'> & {
  readonly from_version: number;
};

export function endpointQueries(database: Database) {
  return { ...readsOf(database), ...writesOf(database) };
}

/** Several endpoints in one query. */
export function allOf(database: Database, ids: readonly string[]) {
  return currentOf(database).where('endpoints.id', 'in', ids);
}

function currentOf({ build }: Database) {
  return build
    .selectFrom('endpoints')
    .innerJoin('endpoint_versions', (join) =>
      join
        .onRef('endpoint_versions.endpoint_id', '=', 'endpoints.id')
        .onRef('endpoint_versions.version', '=', 'endpoints.version'),
    )
    .select(COLUMNS.map((column) => `endpoints.${column}` as const))
    .select(['definition_hash', 'definition', 'overrides', 'registered_token', 'registered_instance']);
}

function readsOf(database: Database) {
  const { build } = database;
  const current = currentOf(database);
  const versions = build.selectFrom('endpoint_versions').select(VERSION_COLUMNS);
  return {
    bySlug: reading((it: { workspace_id: string; slug: string }) =>
      current.where('endpoints.workspace_id', '=', it.workspace_id).where('endpoints.slug', '=', it.slug),
    ),
    byId: reading((it: { id: string }) => current.where('endpoints.id', '=', it.id)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      current.where('endpoints.workspace_id', '=', it.workspace_id).orderBy('endpoints.slug'),
    ),
    versions: reading((it: { endpoint_id: string }) =>
      versions.where('endpoint_id', '=', it.endpoint_id).orderBy('version', 'desc'),
    ),
    version: reading((it: { endpoint_id: string; version: number }) =>
      versions.where('endpoint_id', '=', it.endpoint_id).where('version', '=', it.version),
    ),
  };
}

/** NOTE: Each change names the version that it was decided on; a concurrent change makes it `overtaken`. */
function writesOf({ build }: Database) {
  const overtaken = { unlessChanged: 'overtaken' } as const;
  const changing = (it: Change) =>
    build
      .updateTable('endpoints')
      .set(slotsOf(it, ['version', 'updated_at_ms', 'secret_exposure']))
      .where('id', '=', it.id)
      .where('version', '=', it.from_version);
  return {
    /** For files: agents register at any time, so a concurrent registration is expected. */
    add: writing(
      (it: EndpointRow) =>
        build
          .insertInto('endpoints')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing()),
      overtaken,
    ),
    create: writing(
      (it: EndpointRow) =>
        build
          .insertInto('endpoints')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing()),
      { unlessChanged: 'slug_taken' },
    ),
    change: writing(changing, overtaken),
    rename: writing((it: Change) => changing(it).set({ slug: it.slug }), {
      ...overtaken,
      ifExists: 'slug_taken',
    }),
    remove: writing(
      (it: { id: string; version: number }) =>
        build.deleteFrom('endpoints').where('id', '=', it.id).where('version', '=', it.version),
      overtaken,
    ),
    addVersion: writing((it: EndpointVersionRow) =>
      build.insertInto('endpoint_versions').values(slotsOf(it, VERSION_COLUMNS)),
    ),
  };
}
