import type { ResultOf } from '@svc/core/api/contract/answer';
import type { RouteRow } from '@svc/core/api/routes';

type Shown = ResultOf<RouteRow<'showEndpoint'>>;

/** An endpoint in the wire form of the API. */
export type WireEndpoint = Omit<Shown, 'args'> & { readonly args: readonly WireArgument[] };
/** An argument without `accepts`: the dashboard computes that text itself (`acceptedBy`), also for unsaved arguments. */
export type WireArgument = Omit<Shown['args'][number], 'accepts'>;
export type WireVersion = ResultOf<RouteRow<'listEndpointVersions'>>['items'][number];
