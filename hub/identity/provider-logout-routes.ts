import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import { originOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import { reply } from '../platform/http/reply.ts';
import { readPageForm } from '../platform/pages/page.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import { type EndDeps, endProviderSessions } from './end-provider-sessions.ts';
import type { OpenIdProvider } from './openid-provider.ts';
import type { WorkspaceSignIn } from './workspace-sign-in.ts';

interface ProviderLogoutDeps extends EndDeps {
  readonly accounts: Pick<Accounts, 'userById' | 'workspacesOf' | 'workspaceByAnyUsername'>;
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly settings: Pick<Settings, 'rates'>;
}

interface ProviderLogoutParts {
  /** That of the hub; undefined: the operator named none. */
  readonly provider: OpenIdProvider | undefined;
  readonly workspaceSignIn: Pick<WorkspaceSignIn, 'clientOf'>;
}

type Routes = Pick<Handlers, 'endProviderSessions' | 'endWorkspaceProviderSessions'>;

/** From one network: that of the provider, which signs many people out. */
const LOGOUTS_PER_MINUTE = 300;

/** Where providers report sign-outs: that of the hub, and those of workspaces (decision 107, sign-out at the provider of a workspace). */
export function providerLogoutRoutes(
  deps: ProviderLogoutDeps,
  { provider, workspaceSignIn }: ProviderLogoutParts,
): Routes {
  const { limiter, settings } = deps;
  const limit = (request: Request) => {
    const network = limitedNetwork(deps.addressOf(request));
    if (settings.rates.signIn !== 'off') limiter.take(`logout tokens ${network}`, LOGOUTS_PER_MINUTE);
  };
  const end = async (request: Request, used: OpenIdProvider, workspaceId?: string) => {
    const tokens = (await readPageForm(request)).getAll('logout_token');
    const [token] = tokens;
    if (token === undefined || tokens.length > 1)
      throw refuse('invalid_argument', 'logout_token: one token expected');
    const logout = await used.readLogout(token);
    const actor = { kind: 'hub', id: undefined, name: used.settings.name } as const;
    await endProviderSessions(deps, { ...logout, workspaceId }, { actor, from: originOf(deps, request) });
    return reply(200, undefined, { 'Cache-Control': 'no-store' });
  };
  return {
    async endProviderSessions({ request }) {
      limit(request);
      if (provider === undefined) throw refuse('not_found', 'this hub has no sign-in provider');
      return end(request, provider);
    },
    async endWorkspaceProviderSessions({ request, parameters: { username } }) {
      limit(request);
      const workspace = await deps.accounts.workspaceByAnyUsername(username);
      const remembered = workspace && (await workspaceSignIn.clientOf(workspace.id));
      if (workspace === undefined || remembered === undefined)
        throw refuse('not_found', 'there is no such workspace, or it has no sign-in provider of its own');
      return end(request, remembered.client, workspace.id);
    },
  };
}
