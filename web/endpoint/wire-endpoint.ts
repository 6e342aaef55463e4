import type { ResultOf } from '@svc/core/api/contract/answer';
import type { RouteRow } from '@svc/core/api/routes';

type Shown = ResultOf<RouteRow<'showEndpoint'>>;

/** An endpoint as the API has it. */
export type WireEndpoint = Omit<Shown, 'args'> & { readonly args: readonly WireArgument[] };
/** Without the words on what it accepts: the dashboard has them itself (`acceptedBy`), also for what is not stored yet. */
export type WireArgument = Omit<Shown['args'][number], 'accepts'>;
export type WireVersion = ResultOf<RouteRow<'listEndpointVersions'>>['items'][number];
