import { isAgentName } from '@svc/core/protocol/agent-name';
import { refuse } from '@svc/core/refusal';
import { z } from 'zod';
import { makeAgentToken } from '../../engine/account/make-tokens.ts';
import type { AgentToken } from '../../engine/ports/accounts.ts';
import type { RegisteredEndpoint } from '../../engine/ports.ts';
import type { HubContext } from '../context.ts';
import { objectResponse } from '../json-response.ts';
import type { Handlers } from '../routes/handler.ts';
import { readObject } from '../routes/read-object.ts';
import { time } from '../time.ts';

const newToken = z.strictObject({
  name: z.string({ error: 'a name expected' }).min(1).max(100),
  agent_name: z.string().refine(isAgentName, { error: 'the name of an agent expected' }).optional(),
});

type Routes = Pick<
  Handlers,
  'makeAgentToken' | 'listAgentTokens' | 'revokeAgentToken' | 'listAgents' | 'listEndpoints'
>;

/** Agent tokens, the agents that are connected, and what they have registered. */
export function agentRoutes(context: HubContext): Routes {
  return {
    async makeAgentToken({ request, acting: { member, workspace } }) {
      const { name, agent_name: agentName } = await readObject(request, newToken);
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, agentName };
      const { row, token } = await makeAgentToken(context, wanted);
      return objectResponse({ ...describeToken(row), token }, 201);
    },
    async listAgentTokens({ acting: { workspace } }) {
      const tokens = await context.credentials.agentTokensOf(workspace.id);
      return objectResponse({ items: tokens.map(describeToken), next_cursor: null });
    },
    async revokeAgentToken({ acting: { workspace }, parameters: { id } }) {
      if (!(await context.credentials.revokeAgentToken(workspace.id, id, context.clock.nowMs())))
        throw refuse('not_found', 'there is no such agent token');
      context.agents.disconnectToken(id);
      return new Response(null, { status: 204 });
    },
    listAgents({ acting: { workspace } }) {
      const items = context.agents
        .connected(workspace.id)
        .map(({ name, instance, running }) => ({ name, instance, running, status: 'online' }));
      return objectResponse({ items, next_cursor: null });
    },
    async listEndpoints({ acting: { workspace } }) {
      const endpoints = await context.endpoints.list(workspace.id);
      const base = `${context.settings.baseUrl}/v1/${workspace.username ?? ''}`;
      return objectResponse({
        items: endpoints.map((one) => describeEndpoint(one, base)),
        next_cursor: null,
      });
    },
  };
}

function describeToken({ id, name, last4, agentName, createdBy, createdAtMs, revokedAtMs }: AgentToken) {
  return {
    id,
    name,
    last4,
    agent_name: agentName ?? null,
    created_by: createdBy,
    created_at: time(createdAtMs),
    revoked_at: time(revokedAtMs),
  };
}

function describeEndpoint(
  { id, endpoint, source, version, ...registered }: RegisteredEndpoint,
  base: string,
) {
  const { slug, method, description, args, timeoutSec } = endpoint;
  return {
    id,
    slug,
    name: slug,
    url: `${base}/${slug}`,
    method: method ?? null,
    description: description ?? null,
    args: args.map(({ name, type, required, default: value }) => ({ name, type, required, default: value })),
    timeout: timeoutSec,
    public: endpoint.public,
    source,
    agent_name: endpoint.agentName ?? registered.registeredBy ?? null,
    version,
    created_at: time(registered.createdAtMs),
    updated_at: time(registered.updatedAtMs),
  };
}
