import { accessToCall } from '@svc/core/execution/access';
import { refusedByAccess } from '@svc/core/mcp/ai-access';
import { OWN_TOOLS, SEARCH_TOOLS } from '@svc/core/mcp/own-tools';
import { type McpTool, needsFile, requiredSecret, toolOfEndpoint } from '@svc/core/mcp/tool';
import { isSearched, isSelected } from '@svc/core/mcp/tool-selection';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Visit } from './visit.ts';

export interface WorkspaceToolsDeps {
  readonly endpoints: Pick<Endpoints, 'list'>;
}

const RESERVED: ReadonlySet<string> = new Set([...OWN_TOOLS, ...SEARCH_TOOLS].map(({ name }) => name));

/** The endpoints that the agent may call and its URL selects, as tools, by name. */
export async function endpointTools({ endpoints }: WorkspaceToolsDeps, visit: Visit): Promise<McpTool[]> {
  const all = await endpoints.list(visit.workspace.id);
  return all
    .map((target) => toolFor(visit, target))
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
  if (workspaceId !== visit.workspace.id || RESERVED.has(slug) || endpoint.mcp === false) return undefined;
  if (accessToCall(visit.caller, { workspaceId, slug, public: isPublic }) !== 'allowed') return undefined;
  if (requiredSecret(endpoint) !== undefined || endpoint.stdin !== undefined) return undefined;
  if (needsFile(endpoint)) return undefined;
  const tool = toolOfEndpoint(endpoint, endpoint.agentName ?? registeredBy ?? 'default');
  if (refusedByAccess(visit.workspace.aiAccess, tool) !== undefined) return undefined;
  return isSelected(visit.selection, tool) ? tool : undefined;
}

/** The listed tools: those of svc, and either each endpoint or the three tools that find endpoints. */
export function listedTools({ selection }: Visit, tools: readonly McpTool[]): readonly McpTool[] {
  return [...(isSearched(selection, tools.length) ? SEARCH_TOOLS : tools), ...OWN_TOOLS];
}
