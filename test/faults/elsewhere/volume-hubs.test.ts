import { onSeveralHubs } from '../../hub-database.ts';

await onSeveralHubs(() => import('../volume.test.ts'));
