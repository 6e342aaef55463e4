import { type Callable, callableEndpoint, callablePipeline } from '@svc/core/api/catalog/callable';
import { workspaceDocument } from '@svc/core/api/catalog/workspace-document';
import { accessToCall, type Caller } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { redirectFormer } from '../http/former-username.ts';
import type { Handlers } from '../http/handler.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { objectResponse } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import { type AccessDeps, callableOf, isToBeSigned, limitRate, unauthorized } from './access.ts';

export interface CatalogRoutesDeps extends AccessDeps {
  readonly endpoints: Pick<Endpoints, 'list'>;
  readonly pipelines: Pick<Pipelines, 'list'>;
}

type CatalogRequest = { readonly request: Request; readonly caller: Caller; readonly username: string };

/** The endpoints that a key may call, as a list and as an OpenAPI document. */
export function catalogRoutes(
  deps: CatalogRoutesDeps,
): Pick<Handlers, 'listCallables' | 'describeCallables'> {
  return {
    async listCallables({ request, caller, query, parameters: { username } }) {
      const moved = await redirectFormer(deps, request, { before: '/v1/', username });
      if (moved !== undefined) return moved;
      const workspace = await workspaceOf(deps, { request, caller, username });
      const { items, next_cursor } = pageOf(
        await callables(deps, workspace, caller),
        ({ name }) => name,
        query,
      );
      return {
        items: items.map((one) => ({
          ...one,
          description: one.description ?? null,
          arguments: { ...one.arguments },
        })),
        next_cursor,
      };
    },
    async describeCallables({ request, caller, parameters: { username } }) {
      const moved = await redirectFormer(deps, request, { before: '/v1/', username });
      if (moved !== undefined) return moved;
      const workspace = await workspaceOf(deps, { request, caller, username });
      const { baseUrl, version } = deps.settings;
      const url = `${baseUrl}/v1/${username}`;
      return objectResponse(
        workspaceDocument(await callables(deps, workspace, caller), { username, url, version }),
      );
    },
  };
}

/** The workspace, for its own callers; another name gets the answer for one that does not exist (decision 25, errors). */
async function workspaceOf(
  deps: CatalogRoutesDeps,
  { request, caller, username }: CatalogRequest,
): Promise<Workspace> {
  if (caller.kind === 'anonymous') throw unauthorized();
  const workspace = await deps.lookups.workspace(username);
  if (workspace?.id !== caller.workspaceId)
    throw refuse('not_found', 'there is no such user, or this key is of another one');
  limitRate(deps, caller, workspace.plan, request);
  return workspace;
}

async function callables(
  { endpoints, pipelines, settings }: CatalogRoutesDeps,
  workspace: Workspace,
  caller: Caller,
): Promise<Callable[]> {
  const { id, username } = workspace;
  const urlOf = (slug: string) => `${settings.baseUrl}/v1/${username ?? ''}/${slug}`;
  const isAllowed = (callable: ReturnType<typeof callableOf>) => accessToCall(caller, callable) === 'allowed';
  const ofEndpoints = (await endpoints.list(id))
    .filter((target) => isAllowed(callableOf({ kind: 'endpoint', workspace, target })))
    .map(({ endpoint }) => callableEndpoint(endpoint, urlOf(endpoint.slug)));
  const ofPipelines = (await pipelines.list(id))
    .filter(
      (target) => !isToBeSigned(target) && isAllowed(callableOf({ kind: 'pipeline', workspace, target })),
    )
    .map(({ pipeline }) => callablePipeline(pipeline, urlOf(pipeline.slug)));
  return [...ofEndpoints, ...ofPipelines].sort((a, b) => (a.name < b.name ? -1 : 1));
}
