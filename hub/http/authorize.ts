import type { RouteAccess } from '@svc/core/api/contract/access';
import { type Refusal, refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { type AdmitDeps, admitAgent } from '../agents/admit-agent.ts';
import { acting, callerOf, type IdentityDeps, signedIn, tokenOf } from './identity.ts';
import { type PrincipalDeps, principalOf } from './principal.ts';

/** Applies the access rule of a route (decision 45, the table of routes): refuses, or returns the caller. */
export async function authorize(
  deps: PrincipalDeps & AdmitDeps,
  request: Request,
  access: RouteAccess,
): Promise<object> {
  switch (access.kind) {
    case 'open':
      return {};
    case 'caller':
      return { caller: await callerOf(deps, request, access.credentials) };
    case 'user': {
      const user = await signedIn(deps, request, access.credentials);
      if (user === undefined) throw unauthorized();
      return { user };
    }
    case 'owner':
    case 'member': {
      const found = await acting(deps, request, access.credentials);
      if (found === undefined) throw unauthorized();
      const { role } = found.member;
      const isAllowed = access.kind === 'owner' ? role === 'owner' : may(role, access.permission);
      if (!isAllowed) throw refuse('forbidden', `your role "${role}" does not allow this`);
      return { acting: found };
    }
    case 'principal': {
      const found = await principalOf(deps, request, access.credentials);
      if (found === undefined) throw unauthorized();
      const { role } = found.member;
      if (!may(role, access.permission)) throw refuse('forbidden', `your role "${role}" does not allow this`);
      return { acting: found };
    }
    case 'operator':
      return { user: await operator(deps, request) };
    case 'agent': {
      const admitted = await admitAgent(deps, tokenOf(request));
      if (admitted === undefined) throw refuse('unauthorized', 'a valid agent token is needed');
      return { admitted };
    }
  }
}

/** The pages of operators do not exist for other users (decision 54, configuration of a hub). */
async function operator(deps: IdentityDeps, request: Request) {
  const user = await signedIn(deps, request, ['session', 'personal']);
  const account = user && (await deps.accounts.userById(user.userId));
  if (user !== undefined && isOperator(deps, account?.email ?? '')) return user;
  throw refuse('not_found', 'nothing is here');
}

/** Whether the configuration names the address as an operator (decision 54, configuration of a hub). */
export function isOperator({ settings }: IdentityDeps, email: string): boolean {
  return settings.operators.includes(email.toLowerCase());
}

function unauthorized(): Refusal {
  return refuse('unauthorized', 'sign in, or send Authorization: Bearer with an access token');
}
