import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/second-factor.test.ts'), '0042');
