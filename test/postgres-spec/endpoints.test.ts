import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/endpoints.test.ts'));
