import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/webhooks.test.ts'));
