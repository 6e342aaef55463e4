import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/identity-attacks.test.ts'));
