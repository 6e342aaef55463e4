import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/usage.test.ts'));
