import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A request of the server to the client. */
export interface ClientQuestion {
  readonly method: 'elicitation/create' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>>;
}

/** Sends messages to the client on the open stream of its own request, as the revisions before 2026-07-28 do. */
export interface ClientStream {
  /**
   * Asks the client. The answer arrives as a message of its own, at any hub: so it is found by `id`, and nothing here waits for it.
   */
  ask(id: string, question: ClientQuestion): Promise<void>;
  /** Tells the client that the page of a question needs no visit any more. */
  complete(elicitationId: string): Promise<void>;
}

export function clientStream({ server }: McpServer, { mcpReq }: ServerContext): ClientStream {
  const related = { relatedRequestId: mcpReq.id };
  const send = async (message: object) => {
    // A message that cannot be sent is ignored: the request itself notices that the client has left.
    await server.transport?.send({ jsonrpc: '2.0', ...message } as never, related).catch(() => undefined);
  };
  return {
    ask: (id, question) => send({ id, ...question }),
    complete: (elicitationId) =>
      send({ method: 'notifications/elicitation/complete', params: { elicitationId } }),
  };
}

/** The answer of a client to a question. */
export interface ClientAnswer {
  readonly id: string;
  /** Undefined: the client answered with an error. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
}

const answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.string(),
  method: z.undefined().optional(),
  result: z.looseObject({}).optional(),
});

/** Undefined: the message is no answer to a question of this server. */
export function answerIn(message: unknown): ClientAnswer | undefined {
  const { data } = answer.safeParse(message);
  return data && { id: data.id, result: data.result };
}
