import { refuse } from '@svc/core/refusal';
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { reasonOf } from '../unavailable.ts';
import { initial } from './0001-initial.ts';
import { tokensAndGrants } from './0016-tokens-and-grants.ts';
import { agentJournals } from './0018-agent-journals.ts';
import { statistics } from './0019-statistics.ts';
import { callbacksAndSuccesses } from './0020-callbacks-and-successes.ts';
import { declaredAlerts } from './0021-declared-alerts.ts';
import { identities } from './0022-identities.ts';
import { artifacts } from './0023-artifacts.ts';
import { aiClients } from './0024-ai-clients.ts';
import { agentCredentials } from './0025-agent-credentials.ts';
import { filesOfCalls } from './0026-files-of-calls.ts';
import { outputSearch } from './0027-output-search.ts';
import { groupRoles } from './0028-group-roles.ts';
import { aiAccess } from './0029-ai-access.ts';
import { agentEnrolment } from './0030-agent-enrolment.ts';
import { serviceAccounts } from './0031-service-accounts.ts';
import { endpointGrants } from './0032-endpoint-grants.ts';
import { providerSessions } from './0033-provider-sessions.ts';
import { passkeys } from './0034-passkeys.ts';
import { scim } from './0037-scim.ts';
import { workspaceProviders } from './0038-workspace-providers.ts';
import { groupsWithinASession } from './0039-groups-within-a-session.ts';
import { memberGroups } from './0040-member-groups.ts';
import { ownershipOffers } from './0041-ownership-offers.ts';
import { secondFactor } from './0042-second-factor.ts';
import { workspaceSecondFactor } from './0043-workspace-second-factor.ts';
import { emailChanges } from './0044-email-changes.ts';
import { formerUsernames } from './0045-former-usernames.ts';
import { lastWorkspace } from './0046-last-workspace.ts';
import { lineTimes } from './0047-line-times.ts';
import { tokensForOneWorkspace } from './0048-tokens-for-one-workspace.ts';
import { schemaOfHubs } from './0049-schema-of-hubs.ts';
import { packedCounts } from './0050-packed-counts.ts';
import { lateEnds } from './0051-late-ends.ts';
import type { ColumnTypes } from './column-types.ts';

/**
 * The names under which the initial schema is on record, beside its own: it was made in these steps once. Stores from then
 * open here, and hubs from then on stores that were made here.
 */
const PARTS_OF_INITIAL = [
  '0002-device-codes',
  '0003-cancel-and-secret-arguments',
  '0004-audit',
  '0005-secrets',
  '0006-teams',
  '0007-managed-endpoints',
  '0009-alerts',
  '0010-approvals',
  '0011-schedules',
  '0012-pipelines',
  '0013-pipeline-runs',
  '0014-hosted',
  '0015-sealed-inputs',
];
const INITIAL = '0001-accounts-and-executions';

type Migrate = (database: Kysely<unknown>, types: ColumnTypes) => Promise<void>;

/**
 * All migrations, in the order of their names; forward only. One that was published is never changed. One that takes
 * something away is named for what a program has to know to live without it: `0020-no-old-columns-needs-0018`.
 */
export const MIGRATIONS: Readonly<Record<string, Migrate>> = {
  [INITIAL]: initial,
  ...Object.fromEntries(PARTS_OF_INITIAL.map((name): [string, Migrate] => [name, () => Promise.resolve()])),
  '0016-tokens-and-grants': tokensAndGrants,
  '0018-agent-journals': agentJournals,
  '0019-statistics': statistics,
  '0020-callbacks-and-successes': callbacksAndSuccesses,
  '0021-declared-alerts': declaredAlerts,
  '0022-identities': identities,
  '0023-artifacts': artifacts,
  '0024-ai-clients': aiClients,
  '0025-agent-credentials': agentCredentials,
  '0026-files-of-calls': filesOfCalls,
  '0027-output-search': outputSearch,
  '0028-group-roles': groupRoles,
  '0029-ai-access': aiAccess,
  '0030-agent-enrolment': agentEnrolment,
  '0031-service-accounts': serviceAccounts,
  '0032-endpoint-grants': endpointGrants,
  '0033-provider-sessions': providerSessions,
  '0034-passkeys': passkeys,
  '0037-scim': scim,
  '0038-workspace-providers': workspaceProviders,
  '0039-groups-within-a-session': groupsWithinASession,
  '0040-member-groups': memberGroups,
  '0041-ownership-offers': ownershipOffers,
  '0042-second-factor': secondFactor,
  '0043-workspace-second-factor': workspaceSecondFactor,
  '0044-email-changes': emailChanges,
  '0045-former-usernames': formerUsernames,
  '0046-last-workspace': lastWorkspace,
  '0047-line-times': lineTimes,
  '0048-tokens-for-one-workspace': tokensForOneWorkspace,
  '0049-schema-of-hubs': schemaOfHubs,
  '0050-packed-counts': packedCounts,
  '0051-late-ends': lateEnds,
};

/** The number of the last one. */
export const LAST_MIGRATION = Object.keys(MIGRATIONS).toSorted().at(-1)?.slice(0, 4) ?? '';

const TABLE = 'svc_migrations';
const NEEDS = /-needs-(\d{4})$/;

/**
 * Brings the schema up to this program. Hubs that start at once wait for each other; the first one does the work. If no migration is
 * missing, the migrator does not run, because it reads the columns of all tables several times.
 */
export async function migrate(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const migrations: Record<string, Migration> = {};
  for (const [name, up] of Object.entries(MIGRATIONS))
    migrations[name] = { up: (given) => up(given as Kysely<unknown>, types) };
  const recorded = await recordedNames(database);
  const missing = recorded.includes(INITIAL) && PARTS_OF_INITIAL.find((name) => !recorded.includes(name));
  if (missing)
    throw refuse('unavailable', `the schema is older than any that is upgraded: it has no ${missing}`);
  const later = bearable(recorded);
  for (const name of later) migrations[name] = { up: () => Promise.resolve() };
  if (isSame(recorded, Object.keys(migrations))) return;
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
  if (bearable(await recordedNames(database)).length > later.length) return await migrate(database, types);
  // For the operator, and no bug: most often an older program on what a newer one has left.
  throw refuse('unavailable', `the schema is not one of this program: ${reasonOf(error)}`);
}

/** What a newer program has done to the schema, and this one can live with: while hubs are upgraded, or taken back. */
function bearable(recorded: readonly string[]): string[] {
  const last = Object.keys(MIGRATIONS).toSorted().at(-1) ?? '';
  return recorded.filter((name) => name > last && (NEEDS.exec(name)?.[1] ?? '') <= last.slice(0, 4));
}

function isSame(recorded: readonly string[], known: readonly string[]): boolean {
  const names = new Set(recorded);
  return names.size === known.length && known.every((name) => names.has(name));
}

async function recordedNames(database: Kysely<unknown>): Promise<string[]> {
  const isSqlite = database.getExecutor().adapter instanceof SqliteAdapter;
  const table = isSqlite
    ? sql`select 1 from sqlite_master where type = 'table' and name = ${TABLE}`
    : sql`select 1 where to_regclass(${TABLE}) is not null`;
  if ((await table.execute(database)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(database);
  return rows.map(({ name }) => name);
}
