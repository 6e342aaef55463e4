import { createMcpHandler } from '@modelcontextprotocol/server';
import { readJsonText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import type { RouteQuery } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import type { ToolSelection } from '@svc/core/mcp/tool-selection';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Handlers } from '../http/handler.ts';
import { protocolServer } from './protocol-server.ts';
import type { RunEndpointDeps } from './run-endpoint.ts';
import { principalOf, type Visit } from './visit.ts';

export interface McpRoutesDeps extends RunEndpointDeps {
  readonly keepOpen: (request: Request) => void;
  readonly settings: RunEndpointDeps['settings'] & { readonly version: string };
}

/** What a request hands through the library to the server that is made for it. */
interface Handed {
  readonly visit: Visit;
  readonly left: AbortSignal;
}

/** The Model Context Protocol over HTTP: each request stands alone, so any hub answers it (decision 66, tools for AI agents). */
export function mcpRoutes(deps: McpRoutesDeps): Pick<Handlers, 'mcp' | 'mcpOfWorkspace'> {
  const { version } = deps.settings;
  const handler = createMcpHandler(({ authInfo, era }) => {
    const handed = authInfo?.extra?.handed as Handed | undefined;
    if (handed === undefined) throw new Error('a request without an agent');
    const { visit, left } = handed;
    return protocolServer(deps, visit, { era, version, left });
  });
  const answer = async (request: Request, caller: Caller, query: Query, username?: string) => {
    refuseOtherOrigins(request, deps.settings.hubUrl);
    const known = knownCaller(caller);
    const workspace = await workspaceOf(deps, known, username);
    const visit: Visit = { caller: known, workspace, selection: selectionOf(query), request };
    const parsedBody = await bodyOf(request);
    if (parsedBody instanceof Response) return parsedBody;
    deps.keepOpen(request);
    const handed: Handed = { visit, left: request.signal };
    return await handler.fetch(request, {
      parsedBody,
      authInfo: { token: '', clientId: principalOf(visit), scopes: [], extra: { handed } },
    });
  };
  return {
    mcp: ({ request, caller, query }) => answer(request, caller, query),
    mcpOfWorkspace: ({ request, caller, query, parameters: { username } }) =>
      answer(request, caller, query, username),
  };
}

type Query = RouteQuery<'mcp'>;

function selectionOf({ tools, readonly, mode }: Query): ToolSelection {
  const names = tools?.split(',').map((name) => name.trim());
  return { names: names?.filter((name) => name !== ''), isReadOnly: readonly === '1', mode };
}

function knownCaller(caller: Caller): Visit['caller'] {
  if (caller.kind !== 'anonymous') return caller;
  throw refuse('unauthorized', 'an API key is needed: Authorization: Bearer with the key');
}

/** The workspace of the key. Another name gets the answer for a workspace that does not exist (decision 25, errors). */
async function workspaceOf(
  { lookups }: McpRoutesDeps,
  { workspaceId }: Visit['caller'],
  username: string | undefined,
): Promise<Workspace> {
  const workspace =
    username === undefined ? await lookups.workspaceById(workspaceId) : await lookups.workspace(username);
  if (workspace?.id !== workspaceId)
    throw refuse('not_found', 'there is no such workspace, or this key is of another one');
  return workspace;
}

/** The specification asks for it, against pages that a browser was tricked into loading from this address. */
function refuseOtherOrigins({ headers }: Request, hubUrl: string): void {
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(hubUrl).origin)
    throw refuse('forbidden', 'pages of other sites may not speak MCP with this hub');
}

/** The message, read as strictly as every body; a body that is no JSON is an error of the protocol. */
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

const CODES: Readonly<Partial<Record<Refusal['code'], number>>> = { invalid_json: -32700 };
