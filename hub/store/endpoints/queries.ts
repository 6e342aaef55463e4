import type { Database } from '../database.ts';
import type { EndpointRow, EndpointVersionRow } from '../tables.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';

const COLUMNS = [
  'id',
  'workspace_id',
  'slug',
  'source',
  'registered_by',
  'version',
  'created_at_ms',
  'updated_at_ms',
] as const;
const VERSION_COLUMNS = ['endpoint_id', 'version', 'definition_hash', 'definition', 'created_at_ms'] as const;

/** NOTE: Each change names the version that it saw; one that came in between makes it `overtaken`. */
export function queriesOf({ build }: Database) {
  const current = build
    .selectFrom('endpoints')
    .innerJoin('endpoint_versions', (join) =>
      join
        .onRef('endpoint_versions.endpoint_id', '=', 'endpoints.id')
        .onRef('endpoint_versions.version', '=', 'endpoints.version'),
    )
    .select(COLUMNS.map((column) => `endpoints.${column}` as const))
    .select(['endpoint_versions.definition_hash', 'endpoint_versions.definition']);
  const overtaken = { unlessChanged: 'overtaken' } as const;
  return {
    bySlug: reading((it: { workspace_id: string; slug: string }) =>
      current.where('endpoints.workspace_id', '=', it.workspace_id).where('endpoints.slug', '=', it.slug),
    ),
    byId: reading((it: { id: string }) => current.where('endpoints.id', '=', it.id)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      current.where('endpoints.workspace_id', '=', it.workspace_id).orderBy('endpoints.slug'),
    ),
    add: writing(
      (it: EndpointRow) =>
        build
          .insertInto('endpoints')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing()),
      overtaken,
    ),
    change: writing(
      (it: { id: string; from_version: number; version: number; updated_at_ms: number }) =>
        build
          .updateTable('endpoints')
          .set({ version: it.version, updated_at_ms: it.updated_at_ms })
          .where('id', '=', it.id)
          .where('version', '=', it.from_version),
      overtaken,
    ),
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
