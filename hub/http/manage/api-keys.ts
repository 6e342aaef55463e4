import { refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { makeApiKey, rotateApiKey } from '../../engine/account/make-tokens.ts';
import { revokeApiKey } from '../../engine/account/revoke-tokens.ts';
import type { UsedApiKey } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'makeApiKey' | 'listApiKeys' | 'rotateApiKey' | 'revokeApiKey'>;

/** API keys: every member has their own, owner and admins see all (reference 5). */
export function apiKeyRoutes(context: HubContext): Routes {
  return {
    async makeApiKey({ request, body, acting: { member, workspace } }) {
      const { name, endpoints, expires_at: expiresAt } = body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, endpoints, expiresAtMs };
      const { row, token } = await makeApiKey(context, wanted, sourceOf(context, request, member));
      return { ...describe(row, context.clock.nowMs()), token };
    },
    async listApiKeys({ acting, query }) {
      const keys = await visibleKeys(context, acting);
      const nowMs = context.clock.nowMs();
      return pageOf(
        keys.map((key) => describe(key, nowMs)),
        ({ id }) => id,
        query,
      );
    },
    async rotateApiKey({ request, acting, parameters: { id }, body: { overlap_s: overlapSec } }) {
      const key = await find(context, acting, id);
      const by = sourceOf(context, request, acting.member);
      const { row, token } = await rotateApiKey(context, key, overlapSec, by);
      return { ...describe(row, context.clock.nowMs()), token };
    },
    async revokeApiKey({ request, acting, parameters: { id } }) {
      const key = await find(context, acting, id);
      await revokeApiKey(context, key, sourceOf(context, request, acting.member));
    },
  };
}

async function find(context: HubContext, acting: Acting, id: string): Promise<UsedApiKey> {
  const key = (await visibleKeys(context, acting)).find((one) => one.id === id);
  if (key === undefined) throw refuse('not_found', 'there is no such API key');
  return key;
}

async function visibleKeys(
  { credentials }: HubContext,
  { member, workspace }: Acting,
): Promise<UsedApiKey[]> {
  const keys = await credentials.apiKeysOf(workspace.id);
  return may(member.role, 'api_key.manage') ? keys : keys.filter((key) => key.createdBy === member.userId);
}

function describe(key: UsedApiKey, nowMs: number) {
  const { id, name, last4, endpoints, createdBy, createdAtMs, expiresAtMs, revokedAtMs } = key;
  return {
    id,
    name,
    last4,
    endpoints: endpoints ?? null,
    created_by: createdBy,
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
    revoked_at: time(revokedAtMs),
    last_used_at: time(key.usedAtMs),
    previous: previousOf(key, nowMs),
  };
}

function previousOf({ previousLast4: last4, previousUntilMs: untilMs = 0 }: UsedApiKey, nowMs: number) {
  return last4 === undefined || untilMs <= nowMs ? null : { last4, works_until: time(untilMs) };
}
