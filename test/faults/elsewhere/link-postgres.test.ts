import { onPostgres } from '../../hub-database.ts';

// The link knows no database, and a half-open one takes its time: on this one it is for the long run.
if (process.env.SVC_TEST_LONG !== undefined || process.env.SVC_TEST_FAULTS !== undefined)
  await onPostgres(() => import('../link.test.ts'));
