import { Refusal, refuse } from '@svc/core/refusal';
import type { AgentRegistry } from '../agents/registry.ts';
import { AgentSocket, type SocketActions } from '../agents/socket.ts';
import { upgradeAgent } from '../agents/upgrade.ts';
import { admitAgent } from '../engine/agent/admit-agent.ts';
import type { HubContext } from '../http/context.ts';
import { refusalResponse } from '../http/json-response.ts';
import type { Doors } from './listen.ts';

/** Where agents come in: with their token, and as a WebSocket. */
export function agentDoor(
  context: HubContext,
  registry: AgentRegistry,
  actions: SocketActions,
): Doors['connectAgent'] {
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
