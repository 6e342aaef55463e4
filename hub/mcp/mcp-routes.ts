import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import { refusedByAccess } from '@svc/core/mcp/ai-access';
import type { ToolSelection } from '@svc/core/mcp/tool-selection';
import { challengeOf, stepUpOf } from '@svc/core/oauth/metadata';
import { refuse } from '@svc/core/refusal';
import { isNamed } from '@svc/core/workspace/username';
import type { Workspace } from '../accounts/account-ports.ts';
import { usernameGone } from '../http/former-username.ts';
import type { Handlers } from '../http/handler.ts';
import { callerOf, type IdentityDeps, tokenOf } from '../http/identity.ts';
import { refusalResponse } from '../platform/http/json-response.ts';
import { AgentCredentials } from './agent-credentials.ts';
import type { RunEndpointDeps } from './agent-side.ts';
import { takeUrlAnswer } from './ask-on-stream.ts';
import { type MakeServer, mcpEndpoint } from './mcp-endpoint.ts';

import { protocolServer } from './protocol-server.ts';
import { missingScopes } from './step-up.ts';
import { ToolListChanges, type ToolListChangesDeps } from './tool-list-changes.ts';
import type { Visit } from './visit.ts';

export type McpRoutesDeps = RunEndpointDeps &
  ToolListChangesDeps &
  IdentityDeps & { readonly keepOpen: (request: Request) => void };

/**
 * The Model Context Protocol over HTTP. Each request is independent, so any hub can answer it (decision 66, tools for AI
 * agents).
 */
export function mcpRoutes(deps: McpRoutesDeps): Pick<Handlers, 'mcp' | 'mcpOfWorkspace'> {
  const { version } = deps.settings;
  const agentCredentials = new AgentCredentials(deps.credentials, deps.clock);
  const makeServer: MakeServer<Visit> = (visit, era, abilities) => {
    const left = visit.request.signal;
    return protocolServer(deps, visit, { era, version, left, canBeAsked: abilities.has('open_url') });
  };
  const toolListChanges = new ToolListChanges(deps);
  const endpoint = mcpEndpoint<Visit>(deps.settings, makeServer, {
    async refuseMessage(message, visit) {
      const scopes = await missingScopes(deps, visit, message);
      return scopes === undefined ? undefined : stepUp(deps.settings.hubUrl, visit, scopes);
    },
    questions: {
      vault: deps.vault,
      takeAnswer: (given, visit) => takeUrlAnswer(deps, visit, given),
    },
    changes: (visit, end) => toolListChanges.of(visit, end),
  });
  const answer = async (
    request: Request,
    caller: Caller,
    query: Query,
    username?: string,
  ): Promise<Response> => {
    if (username !== undefined && (await isGone(deps, username))) throw usernameGone();
    if (caller.kind === 'anonymous') return unauthorized(deps.settings.hubUrl, request, username);
    const known = caller;
    const workspace = await workspaceOf(deps, known, username);
    const token = tokenOf(request);
    if (token !== undefined) await agentCredentials.mark(token);
    const refused = refusedByAccess(workspace.aiAccess);
    if (refused !== undefined) throw refuse('forbidden', refused);
    deps.keepOpen(request);
    const identifyAgain = () => callerOf(deps, request, ROUTES.mcp.access.credentials);
    const selection = selectionOf(query);
    const visit: Visit = { caller: known, workspace, username, selection, request, identifyAgain };
    return await endpoint(request, visit);
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

/** The answer from which a client finds out how to get a token (RFC 9728). */
function unauthorized(hubUrl: string, request: Request, username: string | undefined): Response {
  const response = refusalResponse(
    refuse('unauthorized', 'Authorization: Bearer is needed, with an API key or the token of an AI client'),
  );
  const hasToken = tokenOf(request) !== undefined;
  response.headers.set('WWW-Authenticate', challengeOf(hubUrl, { username, hasToken }));
  return response;
}

/** The answer that names the scopes that an AI client has to ask its user for. */
function stepUp(hubUrl: string, { username }: Visit, scopes: string): Response {
  const response = refusalResponse(refuse('forbidden', `this AI client needs more scopes: ${scopes}`));
  response.headers.set('WWW-Authenticate', stepUpOf(hubUrl, { username, scopes }));
  return response;
}

/** The workspace of the key. Another name gets the answer for a workspace that does not exist (decision 25, errors). */
async function workspaceOf(
  { lookups }: McpRoutesDeps,
  { workspaceId }: Visit['caller'],
  username: string | undefined,
): Promise<Workspace> {
  const workspace = await lookups.workspaceById(workspaceId);
  if (workspace === undefined || (username !== undefined && !isNamed(workspace, username)))
    throw refuse('not_found', 'there is no such workspace, or this key is of another one');
  return workspace;
}

/**
 * Whether the owner ended the URLs with this former username. Otherwise the hub serves the URL without a redirect: clients bind
 * their tokens to the address that they know (RFC 8707), and compare it with the one that the server names (RFC 9728).
 */
async function isGone({ lookups }: McpRoutesDeps, username: string): Promise<boolean> {
  return (await lookups.formerUsername(username))?.oldUrls === 'gone';
}
