import { onPostgres } from '../../hub-database.ts';

// The path of output is the same on both databases: on this one it is for the long run.
if (process.env.SVC_TEST_LONG !== undefined || process.env.SVC_TEST_FAULTS !== undefined)
  await onPostgres(() => import('../volume.test.ts'));
