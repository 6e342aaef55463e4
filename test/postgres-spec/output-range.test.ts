import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/output-range.test.ts'));
