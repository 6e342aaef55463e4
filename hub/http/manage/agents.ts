import { refuse } from '@svc/core/refusal';
import { makeAgentToken } from '../../engine/account/make-tokens.ts';
import { revokeAgentToken } from '../../engine/account/revoke-tokens.ts';
import type { AgentToken } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';
import { describeAgents } from './describe-agents.ts';

type Routes = Pick<Handlers, 'makeAgentToken' | 'listAgentTokens' | 'revokeAgentToken' | 'listAgents'>;

/** Agent tokens, and the agents that connect with them. */
export function agentRoutes(context: HubContext): Routes {
  return {
    async makeAgentToken({ request, body, acting: { member, workspace } }) {
      const { name, agent_name: one, agent_names: agentNames = one === undefined ? [] : [one] } = body;
      const { pool: isPool = false } = body;
      const wanted = { workspaceId: workspace.id, createdBy: member.userId, name, agentNames, isPool };
      const { row, token } = await makeAgentToken(context, wanted, sourceOf(context, request, member));
      return { ...describeToken(row), token };
    },
    async listAgentTokens({ acting: { workspace }, query }) {
      const tokens = await context.credentials.agentTokensOf(workspace.id);
      return pageOf(tokens.map(describeToken), ({ id }) => id, query);
    },
    async revokeAgentToken({ request, acting: { member, workspace }, parameters: { id } }) {
      const token = (await context.credentials.agentTokensOf(workspace.id)).find((one) => one.id === id);
      const by = sourceOf(context, request, member);
      if (token === undefined || !(await revokeAgentToken(context, token, by)))
        throw refuse('not_found', 'there is no such agent token');
    },
    async listAgents({ acting: { workspace }, query }) {
      const agents = await describeAgents(context, workspace.id);
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
