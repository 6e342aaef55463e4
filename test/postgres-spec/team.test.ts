// Everything of test/spec/team.test.ts, with hubs that have their data on PostgreSQL.
import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/team.test.ts'));
