import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/approvals.test.ts'));
