import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/api-keys.test.ts'));
