import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';

/** A slug of a workspace; whoever has it has its row. */
export interface Slug {
  readonly workspace_id: string;
  readonly slug: string;
}

/**
 * Who claims and gives back slugs: endpoints and pipelines, which share one namespace (decision 2). Both have their own table,
 * and no key of one table can say that another has no such row.
 */
export function slugsOf({ build }: Database) {
  const claiming = (it: Slug) =>
    build
      .insertInto('slugs')
      .values({ workspace_id: it.workspace_id, slug: it.slug })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing());
  return {
    /** For somebody who is told. */
    claim: writing(claiming, { unlessChanged: 'slug_taken' }),
    /** From a file: agents register at any time, and one that comes in between is no mistake. */
    claimForFile: writing(claiming, { unlessChanged: 'overtaken' }),
    release: writing((it: Slug) =>
      build.deleteFrom('slugs').where('workspace_id', '=', it.workspace_id).where('slug', '=', it.slug),
    ),
  };
}
