import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';

/** A slug of a workspace. The owner of the slug has its row. */
export interface Slug {
  readonly workspace_id: string;
  readonly slug: string;
}

/**
 * Claims and releases slugs for endpoints and pipelines, which share one namespace (decision 2, slugs). They have separate tables,
 * and no key of one table can exclude a row of the other.
 */
export function slugsOf({ build }: Database) {
  const claiming = (it: Slug) =>
    build
      .insertInto('slugs')
      .values({ workspace_id: it.workspace_id, slug: it.slug })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing());
  return {
    /** For a request that gets a refusal. */
    claim: writing(claiming, { unlessChanged: 'slug_taken' }),
    /** For the file of an agent: agents register at any time, so a concurrent claim is expected. */
    claimForFile: writing(claiming, { unlessChanged: 'overtaken' }),
    release: writing((it: Slug) =>
      build.deleteFrom('slugs').where('workspace_id', '=', it.workspace_id).where('slug', '=', it.slug),
    ),
  };
}
