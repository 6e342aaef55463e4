import { onPostgres } from '../hub-database.ts';

await onPostgres(() => import('../spec/pipeline-engine-ends.test.ts'));
