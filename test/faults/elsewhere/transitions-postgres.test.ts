import { onPostgres } from '../../hub-database.ts';

await onPostgres(() => import('../transitions.test.ts'));
