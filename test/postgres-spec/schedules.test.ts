import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/schedules.test.ts'));
