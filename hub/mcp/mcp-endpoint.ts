import { createMcpHandler, type McpServer, type ServerEventBus } from '@modelcontextprotocol/server';
import { readJsonText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Vault } from '../platform/world.ts';
import { answerIn, type ClientAnswer } from './client-questions.ts';
import { abilitiesOf, type ClientAbility, newSession, SESSION_HEADER } from './client-session.ts';
import type { AgentPrincipal } from './sealed-state.ts';

/** `modern`: from the revision 2026-07-28 on. `legacy`: earlier revisions, one request at a time. */
export type Era = 'legacy' | 'modern';

/**
 * Creates the server of one request. `abilities`: what the client can be asked on the stream of its request; from 2026-07-28 on
 * nothing, because each request says it itself.
 */
export type MakeServer<Visit> = (visit: Visit, era: Era, abilities: ReadonlySet<ClientAbility>) => McpServer;

/** What is needed to ask clients of revisions before 2026-07-28. */
export interface Questions<Visit> {
  readonly vault: Vault;
  /** Takes an answer. False: it answers no question of this principal. */
  readonly takeAnswer: (answer: ClientAnswer, visit: Visit) => Promise<boolean>;
}

/**
 * Serves the Model Context Protocol over HTTP. Each request has its own server, and no state remains: a session
 * is in its id.
 *
 * @param hubUrl pages of other origins are refused
 * @param questions absent: clients of earlier revisions get no session and are asked nothing
 * @param changes the source of events for a client that listens; without it, a client that listens hears nothing
 * @param refuseMessage returns the answer to a message that must not reach the server; undefined: the message may
 */
export function mcpEndpoint<Visit extends AgentPrincipal>(
  { hubUrl }: { readonly hubUrl: string },
  makeServer: MakeServer<Visit>,
  {
    refuseMessage = async () => undefined,
    changes,
    questions,
  }: {
    readonly refuseMessage?: (message: unknown, visit: Visit) => Promise<Response | undefined>;
    readonly questions?: Questions<Visit>;
    readonly changes?: (visit: Visit, end: () => void) => ServerEventBus;
  } = {},
): (request: Request, visit: Visit) => Promise<Response> {
  const handlerOf = (bus?: ServerEventBus) =>
    createMcpHandler(({ authInfo, era }) => {
      const visit = authInfo?.extra?.visit as Visit | undefined;
      if (visit === undefined) throw new Error('a request without a visit');
      const abilities = authInfo?.extra?.abilities as ReadonlySet<ClientAbility> | undefined;
      return makeServer(visit, era, abilities ?? new Set());
    }, bus && { bus });
  const handler = handlerOf();
  return async (request, visit) => {
    refuseOtherOrigins(request, hubUrl);
    const parsedBody = await bodyOf(request);
    if (parsedBody instanceof Response) return parsedBody;
    const refused = await refuseMessage(parsedBody, visit);
    if (refused !== undefined) return refused;
    const answer = questions && answerIn(parsedBody);
    if (answer !== undefined && (await questions?.takeAnswer(answer, visit)))
      return new Response(null, { status: 202 });
    const abilities = questions && abilitiesOf(questions.vault, visit, request);
    const authInfo = { token: '', clientId: '', scopes: [], extra: { visit, abilities } };
    if (changes === undefined || !isListening(parsedBody)) {
      const response = await handler.fetch(request, { parsedBody, authInfo });
      const session = questions && response.ok && newSession(questions.vault, visit, parsedBody);
      if (session) response.headers.set(SESSION_HEADER, session);
      return response;
    }
    // A handler serves one source of events to all who listen, and each client has its own.
    const own = handlerOf(changes(visit, () => void own.close()));
    return await own.fetch(request, { parsedBody, authInfo });
  };
}

/** The specification requires this check against DNS rebinding: a page could be loaded from this address by trickery. */
function refuseOtherOrigins({ headers }: Request, hubUrl: string): void {
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(hubUrl).origin)
    throw refuse('forbidden', 'pages of other sites may not speak MCP with this hub');
}

function isListening(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'subscriptions/listen';
}

const CODES: Readonly<Partial<Record<Refusal['code'], number>>> = { invalid_json: -32700 };

/** Parses the message as strictly as every body. A body that is not JSON is an error of the protocol. */
async function bodyOf(request: Request): Promise<unknown> {
  try {
    return readJson(await readJsonText(request));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    const body = { jsonrpc: '2.0', id: null, error: { code: CODES[code] ?? -32600, message } };
    return Response.json(body, { status: REFUSAL_STATUS[code] });
  }
}
