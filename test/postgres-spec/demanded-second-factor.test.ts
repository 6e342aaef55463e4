import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/demanded-second-factor.test.ts'), '0043');
