import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { PipelineRow, PipelineVersionRow } from './table.ts';

const COLUMNS = [
  'id',
  'workspace_id',
  'slug',
  'source',
  'registered_by',
  'version',
  'sealed_secret',
  'created_at_ms',
  'updated_at_ms',
] as const satisfies readonly (keyof PipelineRow)[];
const CHANGING = ['slug', 'version', 'sealed_secret', 'updated_at_ms'] as const;
const VERSION_COLUMNS = [
  'pipeline_id',
  'version',
  'workspace_id',
  'source',
  'definition',
  'created_at_ms',
] as const satisfies readonly (keyof PipelineVersionRow)[];

type Change = Pick<PipelineRow, 'id' | (typeof CHANGING)[number]> & { readonly from_version: number };

export function pipelineQueries(database: Database) {
  return { ...readsOf(database), ...writesOf(database) };
}

function readsOf({ build }: Database) {
  const current = build
    .selectFrom('pipelines')
    .innerJoin('pipeline_versions', (join) =>
      join
        .onRef('pipeline_versions.pipeline_id', '=', 'pipelines.id')
        .onRef('pipeline_versions.version', '=', 'pipelines.version'),
    )
    .select(COLUMNS.map((column) => `pipelines.${column}` as const))
    .select('definition');
  const versions = build.selectFrom('pipeline_versions');
  return {
    bySlug: reading((it: { workspace_id: string; slug: string }) =>
      current.where('pipelines.workspace_id', '=', it.workspace_id).where('pipelines.slug', '=', it.slug),
    ),
    byId: reading((it: { id: string }) => current.where('pipelines.id', '=', it.id)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      current.where('pipelines.workspace_id', '=', it.workspace_id).orderBy('pipelines.slug'),
    ),
    versions: reading((it: { pipeline_id: string }) =>
      versions
        .select(['version', 'source', 'created_at_ms'])
        .where('pipeline_id', '=', it.pipeline_id)
        .orderBy('version', 'desc'),
    ),
    version: reading((it: { pipeline_id: string; version: number }) =>
      versions
        .select(VERSION_COLUMNS)
        .where('pipeline_id', '=', it.pipeline_id)
        .where('version', '=', it.version),
    ),
  };
}

/** NOTE: Each change names the version that it was decided on; a concurrent change makes it `overtaken`. */
function writesOf({ build }: Database) {
  const overtaken = { unlessChanged: 'overtaken' } as const;
  const inserting = (it: PipelineRow) =>
    build
      .insertInto('pipelines')
      .values(slotsOf(it, COLUMNS))
      .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing());
  return {
    create: writing(inserting, { unlessChanged: 'slug_taken' }),
    /** For files: agents register at any time, so a concurrent registration is expected. */
    add: writing(inserting, overtaken),
    change: writing(
      (it: Change) =>
        build
          .updateTable('pipelines')
          .set(slotsOf(it, CHANGING))
          .where('id', '=', it.id)
          .where('version', '=', it.from_version),
      overtaken,
    ),
    remove: writing(
      (it: { id: string; version: number }) =>
        build.deleteFrom('pipelines').where('id', '=', it.id).where('version', '=', it.version),
      overtaken,
    ),
    addVersion: writing((it: PipelineVersionRow) =>
      build.insertInto('pipeline_versions').values(slotsOf(it, VERSION_COLUMNS)),
    ),
  };
}
