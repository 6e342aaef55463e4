import type { ResultOf } from '@svc/core/api/contract/answer';
import type { Row } from '@svc/core/api/routes';

type Shown = ResultOf<Row<'showEndpoint'>>;

/** An endpoint as the API has it. */
export type WireEndpoint = Omit<Shown, 'args'> & { readonly args: readonly WireArgument[] };
/** Without the words on what it accepts: the dashboard has them itself (`acceptedBy`), also for what is not stored yet. */
export type WireArgument = Omit<Shown['args'][number], 'accepts'>;
export type WireVersion = ResultOf<Row<'listEndpointVersions'>>['items'][number];
