import { accessToCall } from '@svc/core/execution/access';
import { refusedByAccess } from '@svc/core/mcp/ai-access';
import { OWN_TOOLS, RESERVED_TOOLS, SEARCH_TOOLS } from '@svc/core/mcp/own-tools';
import { type EndpointsBySlug, toolOfPipeline } from '@svc/core/mcp/pipeline-tool';
import { type McpTool, needsFile, requiredSecret, toolOfEndpoint } from '@svc/core/mcp/tool';
import { isSearched, isSelected } from '@svc/core/mcp/tool-selection';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { Visit } from './visit.ts';

export interface WorkspaceToolsDeps {
  readonly endpoints: Pick<Endpoints, 'list'>;
  readonly pipelines: Pick<Pipelines, 'list'>;
}

/** The endpoints and pipelines that the agent may call and its URL selects, as tools, by name. */
export async function workspaceTools(
  { endpoints, pipelines }: WorkspaceToolsDeps,
  visit: Visit,
): Promise<McpTool[]> {
  const { id } = visit.workspace;
  const [all, registered] = await Promise.all([endpoints.list(id), pipelines.list(id)]);
  const bySlug = new Map(all.map(({ endpoint }) => [endpoint.slug, endpoint]));
  return [
    ...all.map((target) => toolFor(visit, target)),
    ...registered
      .map((pipeline) => pipelineToolFor(visit, pipeline, bySlug))
      .filter((tool) => tool !== undefined && isAllowed(visit, tool)),
  ]
    .filter((tool) => tool !== undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The endpoint as a tool of this agent. Undefined if the agent may not call it, the URL does not select it, it needs a
 * secret value or a body, its owner set `mcp: false`, the workspace lets agents only read, or its name is that of a tool of svc.
 */
export function toolFor(visit: Visit, target: RegisteredEndpoint): McpTool | undefined {
  const { endpoint, registeredBy, workspaceId } = target;
  const { slug, public: isPublic } = endpoint;
  if (workspaceId !== visit.workspace.id || RESERVED_TOOLS.has(slug) || endpoint.mcp === false)
    return undefined;
  if (accessToCall(visit.caller, { workspaceId, slug, public: isPublic }) !== 'allowed') return undefined;
  if (requiredSecret(endpoint) !== undefined || endpoint.stdin !== undefined) return undefined;
  if (needsFile(endpoint)) return undefined;
  const tool = toolOfEndpoint(endpoint, endpoint.agentName ?? registeredBy ?? 'default');
  return isAllowed(visit, tool) && isSelected(visit.selection, tool) ? tool : undefined;
}

/** Whether the workspace lets agents use such a tool (decision 79, access of AI agents). */
export function isAllowed({ workspace }: Pick<Visit, 'workspace'>, tool: McpTool): boolean {
  return refusedByAccess(workspace.aiAccess, tool) === undefined;
}

/**
 * The pipeline as a tool of this agent, whatever the workspace allows to agents. Undefined if the agent may not call it, the URL
 * does not select it, its calls have to be signed, its name is that of a tool of svc, or `toolOfPipeline` excludes it. Endpoints
 * and pipelines share one namespace, so no two tools have one name.
 */
export function pipelineToolFor(
  visit: Visit,
  { workspaceId, pipeline, sealedSecret }: RegisteredPipeline,
  endpoints: EndpointsBySlug,
): McpTool | undefined {
  const { slug, trigger } = pipeline;
  if (workspaceId !== visit.workspace.id || RESERVED_TOOLS.has(slug)) return undefined;
  if (sealedSecret !== undefined || trigger.secret !== undefined) return undefined;
  if (accessToCall(visit.caller, { workspaceId, slug, public: trigger.public }) !== 'allowed')
    return undefined;
  const tool = toolOfPipeline(pipeline, endpoints);
  return tool !== undefined && isSelected(visit.selection, tool) ? tool : undefined;
}

/** The listed tools: those of svc, and either each endpoint or the three tools that find endpoints. */
export function listedTools({ selection }: Visit, tools: readonly McpTool[]): readonly McpTool[] {
  return [...(isSearched(selection, tools.length) ? SEARCH_TOOLS : tools), ...OWN_TOOLS];
}
