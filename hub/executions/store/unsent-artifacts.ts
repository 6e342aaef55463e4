import { ARTIFACT_LIMITS, OUTPUT_FOLDER } from '@svc/core/artifact/limits';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';

/** After every number that an announcement of files gives. */
const UNSENT_ID = ARTIFACT_LIMITS.files + ARTIFACT_LIMITS.missing + 1;

/** Lists the output folder as missing, unless the files in it are listed. */
export function notingUnsent({ build }: Database) {
  return writing((it: { id: string; reason: string; now_ms: number }) =>
    build
      .insertInto('artifacts')
      .columns([
        'execution_id',
        'id',
        'workspace_id',
        'name',
        'size',
        'state',
        'reason',
        'sha256',
        'created_at_ms',
      ])
      .expression(
        build
          .selectFrom('executions')
          .select([
            'id',
            sql.lit(UNSENT_ID).as('number'),
            'workspace_id',
            sql.lit(OUTPUT_FOLDER).as('name'),
            sql.lit(0).as('size'),
            sql.lit<'missing'>('missing').as('state'),
            sql<string>`cast(${it.reason} as text)`.as('reason'),
            sql<null>`null`.as('sha256'),
            sql<number>`cast(${it.now_ms} as bigint)`.as('created_at_ms'),
          ])
          .where('id', '=', it.id)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('artifacts')
                  .select('artifacts.id')
                  .whereRef('artifacts.execution_id', '=', 'executions.id'),
              ),
            ),
          ),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
}
