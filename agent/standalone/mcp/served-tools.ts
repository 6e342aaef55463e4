import { RESERVED_TOOLS } from '@svc/core/mcp/own-tools';
import { type McpTool, needsFile, requiredSecret, toolOfEndpoint } from '@svc/core/mcp/tool';
import { noSuchTool } from '@svc/core/mcp/tool-selection';
import type { ServedEndpoint } from '../served-endpoint.ts';

/** An endpoint of the file that is a tool. */
export interface ServedTool {
  readonly tool: McpTool;
  readonly served: ServedEndpoint;
}

/**
 * The endpoints of the file as tools, by name. An endpoint is no tool if it needs a hub, a secret value, a file or a body, if its owner
 * set `mcp: false`, or if its name is that of a tool of svc.
 */
export function servedTools(all: readonly ServedEndpoint[]): ReadonlyMap<string, ServedTool> {
  const tools = all
    .filter(({ endpoint, unsupported }) => {
      const isHidden =
        endpoint.mcp === false || RESERVED_TOOLS.has(endpoint.slug) || unsupported !== undefined;
      const needsMore = requiredSecret(endpoint) !== undefined || endpoint.stdin !== undefined;
      return !isHidden && !needsMore && !needsFile(endpoint);
    })
    .map((served) => ({ served, tool: toolOfEndpoint(served.endpoint, undefined) }))
    .sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
  return new Map(tools.map((one) => [one.tool.name, one]));
}

/** @throws `not_found` for every name that is no tool */
export function toolNamed(tools: ReadonlyMap<string, ServedTool>, name: string): ServedTool {
  const found = tools.get(name);
  if (found === undefined) throw noSuchTool(name);
  return found;
}
