import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { makeApiKey } from '../../engine/account/make-tokens.ts';
import { revokeApiKey } from '../../engine/account/revoke-tokens.ts';
import type { ApiKey } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'makeApiKey' | 'listApiKeys' | 'revokeApiKey'>;

/** API keys: every member has their own, owner and admins see all (reference 5). */
export function apiKeyRoutes(context: HubContext): Routes {
  return {
    async makeApiKey({ request, body, acting: { member, workspace } }) {
      const { name, endpoints, expires_at: expiresAt } = body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, endpoints, expiresAtMs };
      const { row, token } = await makeApiKey(context, wanted, sourceOf(context, request, member));
      return { ...describe(row), token };
    },
    async listApiKeys({ acting, query }) {
      const keys = await visibleKeys(context, acting);
      return pageOf(keys.map(describe), ({ id }) => id, query);
    },
    async revokeApiKey({ request, acting, parameters: { id } }) {
      const key = (await visibleKeys(context, acting)).find((one) => one.id === id);
      const by = sourceOf(context, request, acting.member);
      if (key === undefined || !(await revokeApiKey(context, key, by)))
        throw refuse('not_found', 'there is no such API key');
    },
  };
}

async function visibleKeys({ credentials }: HubContext, { member, workspace }: Acting): Promise<ApiKey[]> {
  const keys = await credentials.apiKeysOf(workspace.id);
  return may(member.role, 'api_key.manage') ? keys : keys.filter((key) => key.createdBy === member.userId);
}

function describe({ id, name, last4, endpoints, createdBy, createdAtMs, expiresAtMs, revokedAtMs }: ApiKey) {
  return {
    id,
    name,
    last4,
    endpoints: endpoints ?? null,
    created_by: createdBy,
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
    revoked_at: time(revokedAtMs),
  };
}
