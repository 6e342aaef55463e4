import type { ParametersOf, ROUTES, RouteName } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import type { Acting, SignedIn } from './identity.ts';

interface Asked<Name extends RouteName> {
  readonly request: Request;
  readonly parameters: ParametersOf<Name>;
  readonly query: URLSearchParams;
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

type AccessOf<Name extends RouteName> = (typeof ROUTES)[Name]['access']['kind'];

/** Answers one route; throws a `Refusal` to refuse. Whoever gets here may be here: the row has been applied. */
export type Handler<Name extends RouteName> = (
  asked: Asked<Name> & ByAccess[AccessOf<Name>],
) => Response | Promise<Response>;

/** Routes that are not answered through the router: calls are handled before it, and agents are no HTTP. */
export type Apart = 'callEndpoint' | 'callEndpointByGet' | 'connectAgent';

export type Handlers = { readonly [Name in Exclude<RouteName, Apart>]: Handler<Name> };
