import type { RouteAccess } from '@svc/core/api/contract/access';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import { may, type Role } from '@svc/core/workspace/permissions';
import { type AdmitDeps, admitAgent } from '../agents/admit-agent.ts';
import { type ProvisioningDeps, provisioningOf } from '../scim/scim-token.ts';
import {
  acting,
  callerOf,
  type IdentityDeps,
  isForOneWorkspace,
  signedIn,
  signedInAnywhere,
  tokenOf,
} from './identity.ts';
import { type Principal, type PrincipalDeps, principalOf, rightsOf } from './principal.ts';

/** Applies the access rule of a route (decision 45, the table of routes): refuses, or returns the caller. */
export async function authorize(
  deps: PrincipalDeps & AdmitDeps & ProvisioningDeps,
  request: Request,
  access: RouteAccess,
): Promise<object> {
  switch (access.kind) {
    case 'open':
      return {};
    case 'caller':
      return { caller: await callerOf(deps, request, access.credentials) };
    case 'user': {
      const identify = access.isForEverySession ? signedInAnywhere : signedIn;
      const user = await identify(deps, request, access.credentials);
      if (user === undefined) throw unauthorized();
      return { user };
    }
    case 'owner': {
      const found = await acting(deps, request, access.credentials);
      if (found === undefined) throw unauthorized();
      const { role } = found.member;
      if (role !== 'owner') throw forbidden(role);
      return { acting: found };
    }
    case 'member':
    case 'principal': {
      const found =
        access.kind === 'member'
          ? await acting(deps, request, access.credentials)
          : await principalOf(deps, request, access.credentials);
      if (found === undefined) throw unauthorized();
      const rights = await rightsOf(deps, found);
      refuseWithoutRight(found, rights, access);
      return { acting: { ...found, rights } };
    }
    case 'operator':
      return { user: await operator(deps, request) };
    case 'scim': {
      const provisioning = await provisioningOf(deps, tokenOf(request));
      if (provisioning === undefined) throw refuse('unauthorized', 'a valid SCIM token is needed');
      return { provisioning };
    }
    case 'agent': {
      const admitted = await admitAgent(deps, tokenOf(request));
      if (admitted === undefined) throw refuse('unauthorized', 'a valid agent token is needed');
      return { admitted };
    }
  }
}

/** Refuses a principal whose role and grants do not open the route (decision 87, rights per endpoint). */
function refuseWithoutRight(
  { member: { role } }: Principal,
  rights: EndpointRights | undefined,
  { permission, byEndpoint: action }: Extract<RouteAccess, { kind: 'member' | 'principal' }>,
): void {
  if (action === undefined && rights?.isLimited)
    throw refuse('forbidden', 'you have rights on some endpoints only, and this is not about one of them');
  const isGranted = action !== undefined && action !== 'none' && rights?.grants(action) === true;
  if (!may(role, permission) && !isGranted) throw forbidden(role);
}

function forbidden(role: Role): Refusal {
  return refuse('forbidden', `your role "${role}" does not allow this`);
}

/** The pages of operators do not exist for other users (decision 54, configuration of a hub). */
async function operator(deps: IdentityDeps, request: Request) {
  const user = await signedInAnywhere(deps, request, ['session', 'personal']);
  const account = user && (await deps.accounts.userById(user.userId));
  if (user !== undefined && !isForOneWorkspace(user) && isOperator(deps, account?.email ?? '')) return user;
  throw refuse('not_found', 'nothing is here');
}

/** Whether the configuration names the address as an operator (decision 54, configuration of a hub). */
export function isOperator({ settings }: IdentityDeps, email: string): boolean {
  return settings.operators.includes(email.toLowerCase());
}

function unauthorized(): Refusal {
  return refuse('unauthorized', 'sign in, or send Authorization: Bearer with an access token');
}
