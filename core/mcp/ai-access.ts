import type { McpTool } from './tool.ts';

/** What AI agents may do in a workspace, whatever their keys allow. `read_only`: call tools that only read. */
export const AI_ACCESS = ['off', 'read_only', 'all'] as const;
export type AiAccess = (typeof AI_ACCESS)[number];

/** The access of a workspace whose owner and admins have not chosen one. */
export const DEFAULT_AI_ACCESS: AiAccess = 'all';

/** Why a workspace refuses agents, or one of its tools; undefined: it does not. A request without a tool is refused by `off` only. */
export function refusedByAccess(
  access: AiAccess | undefined,
  tool?: Pick<McpTool, 'annotations'>,
): string | undefined {
  if (access === 'off') return 'the access of AI agents to this workspace is off';
  if (access === 'read_only' && tool?.annotations.readOnlyHint === false)
    return 'AI agents may only read in this workspace, and this tool is not marked "effects: read"';
  return undefined;
}
