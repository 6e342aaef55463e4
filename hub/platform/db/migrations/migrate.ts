import { refuse } from '@svc/core/refusal';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { reasonOf } from '../unavailable.ts';
import { accountsAndExecutions, type ColumnTypes } from './0001-accounts-and-executions.ts';
import { deviceCodes } from './0002-device-codes.ts';
import { cancelAndSecretArguments } from './0003-cancel-and-secret-arguments.ts';
import { audit } from './0004-audit.ts';
import { secrets } from './0005-secrets.ts';
import { teams } from './0006-teams.ts';
import { managedEndpoints } from './0007-managed-endpoints.ts';
import { alerts } from './0009-alerts.ts';
import { approvals } from './0010-approvals.ts';
import { schedules } from './0011-schedules.ts';
import { pipelines } from './0012-pipelines.ts';
import { pipelineRuns } from './0013-pipeline-runs.ts';
import { hosted } from './0014-hosted.ts';
import { sealedInputs } from './0015-sealed-inputs.ts';
import { tokensAndGrants } from './0016-tokens-and-grants.ts';
import { agentJournals } from './0018-agent-journals.ts';
import { statistics } from './0019-statistics.ts';

/**
 * All migrations, in the order of their names; forward only. One that was published is never changed. One that takes
 * something away is named for what a program has to know to live without it: `0020-no-old-columns-needs-0018`.
 */
export const MIGRATIONS: Readonly<
  Record<string, (database: Kysely<unknown>, types: ColumnTypes) => Promise<void>>
> = {
  '0001-accounts-and-executions': accountsAndExecutions,
  '0002-device-codes': deviceCodes,
  '0003-cancel-and-secret-arguments': cancelAndSecretArguments,
  '0004-audit': audit,
  '0005-secrets': secrets,
  '0006-teams': teams,
  '0007-managed-endpoints': managedEndpoints,
  '0009-alerts': alerts,
  '0010-approvals': approvals,
  '0011-schedules': schedules,
  '0012-pipelines': pipelines,
  '0013-pipeline-runs': pipelineRuns,
  '0014-hosted': hosted,
  '0015-sealed-inputs': sealedInputs,
  '0016-tokens-and-grants': tokensAndGrants,
  '0018-agent-journals': agentJournals,
  '0019-statistics': statistics,
};

const TABLE = 'svc_migrations';
const NEEDS = /-needs-(\d{4})$/;

/** Brings the schema up to this program. Hubs that start at once wait for each other; the first one does the work. */
export async function migrate(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const migrations: Record<string, Migration> = {};
  for (const [name, up] of Object.entries(MIGRATIONS))
    migrations[name] = { up: (given) => up(given as Kysely<unknown>, types) };
  const later = await bearable(database);
  for (const name of later) migrations[name] = { up: () => Promise.resolve() };
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: TABLE,
    migrationLockTableName: 'svc_migrations_lock',
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
  if (failed !== undefined)
    throw new Error(`migration ${failed} failed: ${reasonOf(error)}`, { cause: error });
  // A newer program did it in this very moment.
  if ((await bearable(database)).length > later.length) return await migrate(database, types);
  // For the operator, and no bug: most often an older program on what a newer one has left.
  throw refuse('unavailable', `the schema is not one of this program: ${reasonOf(error)}`);
}

/** What a newer program has done to the schema, and this one can live with: while hubs are upgraded, or taken back. */
async function bearable(database: Kysely<unknown>): Promise<string[]> {
  const last = Object.keys(MIGRATIONS).toSorted().at(-1) ?? '';
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(database);
  return rows
    .map(({ name }) => name)
    .filter((name) => name > last && (NEEDS.exec(name)?.[1] ?? '') <= last.slice(0, 4));
}
