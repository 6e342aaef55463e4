import type { ResultOf } from '@svc/core/api/contract/answer';
import type { Row } from '@svc/core/api/routes';

/** An endpoint as the API has it. */
export type WireEndpoint = ResultOf<Row<'showEndpoint'>>;
export type WireArgument = WireEndpoint['args'][number];
export type WireVersion = ResultOf<Row<'listEndpointVersions'>>['items'][number];
