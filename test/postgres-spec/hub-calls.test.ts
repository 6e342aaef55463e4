import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/hub-calls.test.ts'));
