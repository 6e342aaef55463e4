import { onSeveralHubs } from '../../hub-database.ts';

await onSeveralHubs(() => import('../transitions.test.ts'));
