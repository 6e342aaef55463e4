import { refuse } from '@svc/core/refusal';
import { isOfAiClient } from '@svc/core/token/ai-client-key';
import { may } from '@svc/core/workspace/permissions';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { UsedApiKey } from './account-ports.ts';
import { makeApiKey, rotateApiKey } from './make-tokens.ts';
import type { OpenStreams } from './open-streams.ts';
import { revokeApiKey } from './revoke-tokens.ts';
import type { Credentials } from './store/credentials.ts';

export interface ApiKeyRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly openStreams: OpenStreams;
  readonly random: Random;
}

type Routes = Pick<Handlers, 'makeApiKey' | 'listApiKeys' | 'rotateApiKey' | 'revokeApiKey'>;

/** API keys: every member has their own, owner and admins see all (reference 5). */
export function apiKeyRoutes(deps: ApiKeyRoutesDeps): Routes {
  return {
    async makeApiKey({ request, body, acting: { member, workspace } }) {
      const { name, endpoints, expires_at: expiresAt } = body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, endpoints, expiresAtMs };
      const { row, token } = await makeApiKey(deps, wanted, sourceOf(deps, request, member));
      return { ...describe(row, deps.clock.nowMs()), token };
    },
    async listApiKeys({ acting, query }) {
      const keys = await visibleKeys(deps, acting);
      const nowMs = deps.clock.nowMs();
      return pageOf(
        keys.map((key) => describe(key, nowMs)),
        ({ id }) => id,
        query,
      );
    },
    async rotateApiKey({ request, acting, parameters: { id }, body: { overlap_s: overlapSec } }) {
      const key = await find(deps, acting, id);
      refuseForeign(key, acting);
      const by = sourceOf(deps, request, acting.member);
      const { row, token } = await rotateApiKey(deps, key, overlapSec, by);
      return { ...describe(row, deps.clock.nowMs()), token };
    },
    async revokeApiKey({ request, acting, parameters: { id } }) {
      const key = await find(deps, acting, id);
      await revokeApiKey(deps, key, sourceOf(deps, request, acting.member));
    },
  };
}

async function find(deps: ApiKeyRoutesDeps, acting: Acting, id: string): Promise<UsedApiKey> {
  const key = (await visibleKeys(deps, acting)).find((one) => one.id === id);
  if (key === undefined) throw refuse('not_found', 'there is no such API key');
  return key;
}

/** Calls with a key count as calls of the member who created it, so no other member may hold its token. */
function refuseForeign(key: UsedApiKey, { member }: Acting): void {
  if (key.createdBy === member.userId) return;
  throw refuse(
    'forbidden',
    `only the member who created "${key.name}" can rotate it: revoke it, and create a key of your own`,
  );
}

async function visibleKeys(
  { credentials }: ApiKeyRoutesDeps,
  { member, workspace }: Acting,
): Promise<UsedApiKey[]> {
  const keys = (await credentials.apiKeysOf(workspace.id)).filter(
    (key) => !isOfAiClient(key) && key.serviceAccountId === undefined,
  );
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
