import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { makeApiKey } from '../../engine/account/make-tokens.ts';
import type { ApiKey } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'makeApiKey' | 'listApiKeys' | 'revokeApiKey'>;

/** API keys: every member has their own, owner and admins see all (reference 5). */
export function apiKeyRoutes(context: HubContext): Routes {
  return {
    async makeApiKey({ body: { name, endpoints, expires_at: expiresAt }, acting: { member, workspace } }) {
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, endpoints, expiresAtMs };
      const { row, token } = await makeApiKey(context, wanted);
      return { ...describe(row), token };
    },
    async listApiKeys({ acting, query }) {
      const keys = await visibleKeys(context, acting);
      return pageOf(keys.map(describe), ({ id }) => id, query);
    },
    async revokeApiKey({ acting, parameters: { id } }) {
      const isVisible = (await visibleKeys(context, acting)).some((key) => key.id === id);
      const nowMs = context.clock.nowMs();
      if (!isVisible || !(await context.credentials.revokeApiKey(acting.workspace.id, id, nowMs)))
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
