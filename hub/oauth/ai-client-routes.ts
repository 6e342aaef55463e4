import { DEFAULT_AI_ACCESS } from '@svc/core/mcp/ai-access';
import { readScopes, scopesText } from '@svc/core/oauth/scopes';
import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import { type AiAccessDeps, changeAiAccess } from '../workspaces/change-ai-access.ts';
import type { GrantNow } from './oauth-ports.ts';
import { revokeGrant } from './revoke-grant.ts';
import type { Grants } from './store/grant-store.ts';

export type AiClientRoutesDeps = AiAccessDeps & {
  readonly addressOf: (request: Request) => string;
  readonly grants: Grants;
};

type Routes = Pick<Handlers, 'listAiClients' | 'revokeAiClient' | 'showAiAccess' | 'setAiAccess'>;

/**
 * The AI clients with access: members see their own, owner and admins all, as with API keys. And what AI agents may do in the
 * workspace at all.
 */
export function aiClientRoutes(deps: AiClientRoutesDeps): Routes {
  return {
    showAiAccess: ({ acting: { workspace } }) => ({ access: workspace.aiAccess ?? DEFAULT_AI_ACCESS }),
    async setAiAccess({ request, acting: { workspace, member, access: credential }, body: { access } }) {
      const by = sourceOf(deps, request, member);
      await changeAiAccess(deps, { workspaceId: workspace.id, access, credential, by });
      return { access };
    },
    async listAiClients({ acting, query }) {
      const grants = await visibleGrants(deps, acting);
      return pageOf(grants.map(describe), ({ id }) => id, query);
    },
    async revokeAiClient({ request, acting, parameters: { id } }) {
      const grant = (await visibleGrants(deps, acting)).find((one) => one.id === id);
      if (grant === undefined) throw refuse('not_found', 'there is no such AI client');
      await revokeGrant(deps, grant, sourceOf(deps, request, acting.member));
    },
  };
}

async function visibleGrants(
  { grants, clock }: Pick<AiClientRoutesDeps, 'grants' | 'clock'>,
  { member, workspace }: Acting,
): Promise<GrantNow[]> {
  const nowMs = clock.nowMs();
  const alive = (await grants.ofWorkspace(workspace.id)).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  return may(member.role, 'api_key.manage') ? alive : alive.filter(({ userId }) => userId === member.userId);
}

function describe(grant: GrantNow) {
  const { id, clientId, clientName, scopes, resource, userId, createdAtMs, usedAtMs, expiresAtMs } = grant;
  return {
    id,
    name: clientName,
    host: clientId.startsWith('https:') ? new URL(clientId).host : null,
    scopes: scopesText(readScopes(scopes)).split(' '),
    resource,
    allowed_by: userId,
    created_at: time(createdAtMs),
    last_used_at: time(usedAtMs),
    expires_at: time(expiresAtMs),
  };
}
