import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/workspace-deletion.test.ts'));
