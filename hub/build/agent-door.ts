import { Refusal, refuse } from '@svc/core/refusal';
import type { AgentRegistry } from '../agent-links/registry.ts';
import { AgentSocket } from '../agent-links/socket.ts';
import type { SocketActions } from '../agent-links/socket-actions.ts';
import { upgradeAgent } from '../agent-links/upgrade.ts';
import { admitAgent } from '../agents/admit-agent.ts';
import { refusalResponse } from '../platform/http/json-response.ts';
import type { HubContext } from './hub-context.ts';
import type { RequestHandlers } from './listen.ts';

/** Where agents come in: with their token, and as a WebSocket. */
export function agentRequestHandler(
  context: HubContext,
  registry: AgentRegistry,
  actions: SocketActions,
): RequestHandlers['connectAgent'] {
  return async (request, server) => {
    const outcome = await upgradeAgent(
      request,
      server,
      async (token) => {
        const admitted = await admitAgent(context, token);
        return admitted && { ...admitted, address: context.addressOf(request) };
      },
      (admitted) => new AgentSocket(admitted, registry, actions, context.hubId),
    ).catch(refusalOf);
    if (outcome instanceof Refusal) return refusalResponse(outcome);
    if (outcome === 'upgraded') return undefined;
    return refusalResponse(
      outcome === 'unauthorized'
        ? refuse('unauthorized', 'a valid agent token is needed, as Authorization: Bearer')
        : refuse('invalid_argument', 'a WebSocket handshake expected'),
    );
  };
}

/** Without its store a hub lets nobody in, and says so: the agent tries again. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
