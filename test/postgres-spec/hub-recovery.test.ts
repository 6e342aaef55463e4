import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/hub-recovery.test.ts'));
