import { refuse } from '@svc/core/refusal';
import type { AgentToken } from '../accounts/account-ports.ts';
import { makeAgentToken } from '../accounts/make-tokens.ts';
import { revokeAgentToken } from '../accounts/revoke-tokens.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { pageOf } from '../platform/http/page-of.ts';
import { time } from '../platform/http/time.ts';
import type { Random } from '../platform/world.ts';
import { type DescribeAgentsDeps, describeAgents } from './describe-agents.ts';

export interface AgentRoutesDeps extends DescribeAgentsDeps {
  readonly addressOf: (request: Request) => string;
  readonly credentials: Credentials;
  readonly random: Random;
}

type Routes = Pick<Handlers, 'makeAgentToken' | 'listAgentTokens' | 'revokeAgentToken' | 'listAgents'>;

/** Agent tokens, and the agents that connect with them. */
export function agentRoutes(deps: AgentRoutesDeps): Routes {
  return {
    async makeAgentToken({ request, body, acting: { member, workspace } }) {
      const { name, agent_name: one, agent_names: agentNames = one === undefined ? [] : [one] } = body;
      const { pool: isPool = false } = body;
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, agentNames, isPool };
      const { row, token } = await makeAgentToken(deps, wanted, sourceOf(deps, request, member));
      return { ...describeToken(row), token };
    },
    async listAgentTokens({ acting: { workspace }, query }) {
      const tokens = await deps.credentials.agentTokensOf(workspace.id);
      return pageOf(tokens.map(describeToken), ({ id }) => id, query);
    },
    async revokeAgentToken({ request, acting: { member, workspace }, parameters: { id } }) {
      const token = (await deps.credentials.agentTokensOf(workspace.id)).find((one) => one.id === id);
      const by = sourceOf(deps, request, member);
      if (token === undefined || !(await revokeAgentToken(deps, token, by)))
        throw refuse('not_found', 'there is no such agent token');
    },
    async listAgents({ acting: { workspace }, query }) {
      const agents = await describeAgents(deps, workspace.id);
      return pageOf(agents, ({ name, id }) => `${name} ${id}`, query);
    },
  };
}

function describeToken(token: AgentToken) {
  const { id, name, last4, agentNames } = token;
  return {
    id,
    name,
    last4,
    agent_name: agentNames[0] ?? null,
    agent_names: [...agentNames],
    bound_at: time(token.boundAtMs),
    pool: token.isPool,
    created_by: token.createdBy,
    created_at: time(token.createdAtMs),
    revoked_at: time(token.revokedAtMs),
  };
}
