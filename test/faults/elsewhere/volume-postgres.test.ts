import { onPostgres } from '../../hub-database.ts';

// The path of output is the same on both databases: the long run has these tests (tools/suites.ts).
await onPostgres(() => import('../volume.test.ts'));
