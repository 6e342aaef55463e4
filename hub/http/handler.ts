import type { AnswerWithStatus, PlainAnswer } from '@svc/core/api/contract/answer';
import type { ParametersOf, RouteBodyOf, RouteName, RouteQuery, RouteRow } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import type { Admitted } from '../agents/admit-agent.ts';
import type { Reply } from '../platform/http/reply.ts';
import type { Provisioning } from '../scim/scim-token.ts';
import type { Acting, SignedIn } from './identity.ts';
import type { Principal } from './principal.ts';

/** The parts of a request that a handler gets, parsed and checked by the route's row. */
interface HandlerInput<Name extends RouteName> {
  readonly request: Request;
  readonly parameters: ParametersOf<Name>;
  readonly query: RouteQuery<Name>;
  readonly body: RouteBodyOf<Name>;
}

/** The caller, as the access rule of a route identified it. */
interface ByAccess {
  readonly open: unknown;
  readonly caller: { readonly caller: Caller };
  readonly user: { readonly user: SignedIn };
  readonly owner: { readonly acting: Acting };
  readonly member: { readonly acting: Acting };
  readonly principal: { readonly acting: Principal };
  readonly operator: { readonly user: SignedIn };
  readonly agent: { readonly admitted: Admitted };
  readonly scim: { readonly provisioning: Provisioning };
}

type Replies<HandlerAnswer> = HandlerAnswer extends {
  readonly status: infer Status extends number;
  readonly body: infer Body;
}
  ? Reply<Status, Body>
  : never;

/** A body, a body with status or headers, or a `Response` for anything but JSON. */
export type HandlerAnswer<Name extends RouteName> =
  | PlainAnswer<RouteRow<Name>>
  | Replies<AnswerWithStatus<RouteRow<Name>>>
  | Response;

/** Handles one route; throws a `Refusal` to refuse. The access rule has been applied before. */
export type Handler<Name extends RouteName> = (
  input: HandlerInput<Name> & ByAccess[RouteRow<Name>['access']['kind']],
) => HandlerAnswer<Name> | Promise<HandlerAnswer<Name>>;

/** Routes outside the router: calls are handled before it, and agents use WebSockets. */
export type Apart = 'callEndpoint' | 'callEndpointByGet' | 'connectAgent';

export type Handlers = { readonly [Name in Exclude<RouteName, Apart>]: Handler<Name> };
