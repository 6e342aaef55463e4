// Everything of test/spec/hub-templates.test.ts, with a hub that has its data on PostgreSQL.
import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/hub-templates.test.ts'));
