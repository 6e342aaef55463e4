import { createMcpHandler, type McpServer, type ServerEventBus } from '@modelcontextprotocol/server';
import { readJsonText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal, refuse } from '@svc/core/refusal';

/** `modern`: from the revision 2026-07-28 on. `legacy`: earlier revisions, one request at a time. */
export type Era = 'legacy' | 'modern';

/** Creates the server of one request. */
export type MakeServer<Visit> = (visit: Visit, era: Era) => McpServer;

/**
 * Serves the Model Context Protocol over HTTP. Each request has its own server, and no state remains.
 *
 * @param hubUrl pages of other origins are refused
 * @param changes the source of events for a client that listens; without it, a client that listens hears nothing
 * @param refuseMessage returns the answer to a message that must not reach the server; undefined: the message may
 */
export function mcpEndpoint<Visit>(
  { hubUrl }: { readonly hubUrl: string },
  makeServer: MakeServer<Visit>,
  {
    refuseMessage = async () => undefined,
    changes,
  }: {
    readonly refuseMessage?: (message: unknown, visit: Visit) => Promise<Response | undefined>;
    readonly changes?: (visit: Visit, end: () => void) => ServerEventBus;
  } = {},
): (request: Request, visit: Visit) => Promise<Response> {
  const handlerOf = (bus?: ServerEventBus) =>
    createMcpHandler(({ authInfo, era }) => {
      const visit = authInfo?.extra?.visit as Visit | undefined;
      if (visit === undefined) throw new Error('a request without a visit');
      return makeServer(visit, era);
    }, bus && { bus });
  const handler = handlerOf();
  return async (request, visit) => {
    refuseOtherOrigins(request, hubUrl);
    const parsedBody = await bodyOf(request);
    if (parsedBody instanceof Response) return parsedBody;
    const refused = await refuseMessage(parsedBody, visit);
    if (refused !== undefined) return refused;
    const authInfo = { token: '', clientId: '', scopes: [], extra: { visit } };
    if (changes === undefined || !isListening(parsedBody))
      return await handler.fetch(request, { parsedBody, authInfo });
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
