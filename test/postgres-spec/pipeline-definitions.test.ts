import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/pipeline-definitions.test.ts'));
