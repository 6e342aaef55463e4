import { onPostgres } from '../../hub-database.ts';

// The link knows no database, and a half-open one takes its time: the long run has these tests (tools/suites.ts).
await onPostgres(() => import('../link.test.ts'));
