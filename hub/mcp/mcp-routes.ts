import type { RouteQuery } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import type { ToolSelection } from '@svc/core/mcp/tool-selection';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Handlers } from '../http/handler.ts';
import type { RunEndpointDeps } from './agent-side.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';
import { protocolServer } from './protocol-server.ts';
import type { Visit } from './visit.ts';

export interface McpRoutesDeps extends RunEndpointDeps {
  readonly keepOpen: (request: Request) => void;
  readonly settings: RunEndpointDeps['settings'] & { readonly version: string };
}

/**
 * The Model Context Protocol over HTTP. Each request is independent, so any hub can answer it (decision 66, tools for AI
 * agents).
 */
export function mcpRoutes(deps: McpRoutesDeps): Pick<Handlers, 'mcp' | 'mcpOfWorkspace'> {
  const { version } = deps.settings;
  const endpoint = mcpEndpoint<Visit>(deps.settings, (visit, era) => {
    return protocolServer(deps, visit, { era, version, left: visit.request.signal });
  });
  const answer = async (request: Request, caller: Caller, query: Query, username?: string) => {
    const known = knownCaller(caller);
    const workspace = await workspaceOf(deps, known, username);
    deps.keepOpen(request);
    return await endpoint(request, { caller: known, workspace, selection: selectionOf(query), request });
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
