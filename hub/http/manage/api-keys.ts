import { SLUG_PATTERN } from '@svc/core/endpoint/slug';
import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { z } from 'zod';
import { makeApiKey } from '../../engine/account/make-tokens.ts';
import type { ApiKey } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { objectResponse } from '../json-response.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { readObject } from '../routes/read-object.ts';
import { time } from '../time.ts';

const NAME = z
  .string({ error: 'a name expected' })
  .min(1, { error: 'a name expected' })
  .max(100, { error: 'at most 100 characters' });

const newKey = z.strictObject({
  name: NAME,
  endpoints: z
    .array(z.string().regex(SLUG_PATTERN, { error: 'a slug expected' }))
    .max(1000)
    .optional(),
  expires_at: z.iso.datetime({ offset: true, error: 'a time as in RFC 3339 expected' }).optional(),
});

type Routes = Pick<Handlers, 'makeApiKey' | 'listApiKeys' | 'revokeApiKey'>;

/** API keys: every member has their own, owner and admins see all (reference 5). */
export function apiKeyRoutes(context: HubContext): Routes {
  return {
    async makeApiKey({ request, acting: { member, workspace } }) {
      const { name, endpoints, expires_at: expiresAt } = await readObject(request, newKey);
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, endpoints, expiresAtMs };
      const { row, token } = await makeApiKey(context, wanted);
      return objectResponse({ ...describe(row), token }, 201);
    },
    async listApiKeys({ acting }) {
      const keys = await visibleKeys(context, acting);
      return objectResponse({ items: keys.map(describe), next_cursor: null });
    },
    async revokeApiKey({ acting, parameters: { id } }) {
      const isVisible = (await visibleKeys(context, acting)).some((key) => key.id === id);
      const nowMs = context.clock.nowMs();
      if (!isVisible || !(await context.credentials.revokeApiKey(acting.workspace.id, id, nowMs)))
        throw refuse('not_found', 'there is no such API key');
      return new Response(null, { status: 204 });
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
