import type { AnswerWithStatus, PlainAnswer } from '@svc/core/api/contract/answer';
import type { ParametersOf, RouteBodyOf, RouteName, RouteQuery, RouteRow } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import type { Reply } from '../platform/http/reply.ts';
import type { Acting, SignedIn } from './identity.ts';

/** What of a request a handler is given: read and checked by the row. */
interface Asked<Name extends RouteName> {
  readonly request: Request;
  readonly parameters: ParametersOf<Name>;
  readonly query: RouteQuery<Name>;
  readonly body: RouteBodyOf<Name>;
}

/** What the access of a route's row has found out about who is asking. */
interface ByAccess {
  readonly open: unknown;
  readonly caller: { readonly caller: Caller };
  readonly user: { readonly user: SignedIn };
  readonly owner: { readonly acting: Acting };
  readonly member: { readonly acting: Acting };
  readonly operator: { readonly user: SignedIn };
  readonly agent: unknown;
}

type Replies<Answer> = Answer extends {
  readonly status: infer Status extends number;
  readonly body: infer Body;
}
  ? Reply<Status, Body>
  : never;

/** The body alone, with a status or headers, or a `Response` for what is no JSON. */
export type Answer<Name extends RouteName> =
  | PlainAnswer<RouteRow<Name>>
  | Replies<AnswerWithStatus<RouteRow<Name>>>
  | Response;

/** Answers one route; throws a `Refusal` to refuse. Whoever gets here may be here: the row has been applied. */
export type Handler<Name extends RouteName> = (
  asked: Asked<Name> & ByAccess[RouteRow<Name>['access']['kind']],
) => Answer<Name> | Promise<Answer<Name>>;

/** Routes that are not answered through the router: calls are handled before it, and agents are no HTTP. */
export type Apart = 'callEndpoint' | 'callEndpointByGet' | 'connectAgent';

export type Handlers = { readonly [Name in Exclude<RouteName, Apart>]: Handler<Name> };
