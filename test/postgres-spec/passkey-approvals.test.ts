import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/passkey-approvals.test.ts'), '0037');
