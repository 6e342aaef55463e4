import { accessToCall } from '@svc/core/execution/access';
import { promisedResult, textResult } from '@svc/core/mcp/call-result';
import { annotationsOf, requiredSecret } from '@svc/core/mcp/tool';
import { findTools } from '@svc/core/mcp/tool-selection';
import { refuse } from '@svc/core/refusal';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import { OWN_TOOL_HANDLERS } from './own-tools.ts';
import { runEndpoint, type ToolAnswer, type ToolCall } from './run-endpoint.ts';
import type { Visit } from './visit.ts';
import { endpointTools, toolFor } from './workspace-tools.ts';

/** Calls a tool of svc or an endpoint. Throws `not_found` for an unknown tool. */
export async function callTool(
  deps: RunEndpointDeps,
  visit: Visit,
  call: ToolCall,
  side: AgentSide,
): Promise<ToolAnswer> {
  const own = Object.hasOwn(OWN_TOOL_HANDLERS, call.name) ? OWN_TOOL_HANDLERS[call.name] : undefined;
  if (own !== undefined) return await own(deps, visit, call.args, side);
  switch (call.name) {
    case 'svc_find': {
      const found = findTools(await endpointTools(deps, visit), textOf(call.args.query));
      const lines = found.map(({ name, description }) => `${name}: ${description}`);
      return textResult(lines.length === 0 ? 'Nothing fits.' : lines.join('\n'), { isError: false });
    }
    case 'svc_describe': {
      const name = textOf(call.args.name);
      const tool = toolFor(visit, await targetOf(deps, visit, name));
      if (tool === undefined) throw noSuchTool(name);
      return textResult(JSON.stringify(tool), { isError: false });
    }
    case 'svc_run': {
      const { name, args = {} } = call.args;
      if (typeof args !== 'object' || args === null || Array.isArray(args))
        throw refuse('invalid_argument', 'args: an object of argument names and values expected');
      const named = { name: textOf(name), args: { ...args } };
      return await runTarget(deps, visit, await targetOf(deps, visit, named.name), named, side);
    }
    default: {
      const target = await targetOf(deps, visit, call.name);
      const answer = await runTarget(deps, visit, target, call, side);
      return 'content' in answer ? promisedResult(answer, hasSchema(target)) : answer;
    }
  }
}

async function runTarget(
  deps: RunEndpointDeps,
  visit: Visit,
  target: RegisteredEndpoint,
  call: ToolCall,
  side: AgentSide,
): Promise<ToolAnswer> {
  side.useTool({ annotations: annotationsOf(target.endpoint) });
  const secret = requiredSecret(target.endpoint);
  if (secret !== undefined)
    throw refuse(
      'forbidden',
      `"${call.name}" needs the secret value "${secret}", which an AI agent cannot give`,
    );
  if (toolFor(visit, target) === undefined) throw noSuchTool(call.name);
  return await runEndpoint(deps, visit, target, call, side);
}

function hasSchema({ endpoint }: RegisteredEndpoint): boolean {
  return endpoint.transform?.schema !== undefined;
}

/** Absent, foreign and out-of-scope endpoints give one answer (decision 25, errors). */
async function targetOf(deps: RunEndpointDeps, visit: Visit, name: string): Promise<RegisteredEndpoint> {
  const target = await deps.lookups.endpoint(visit.workspace.id, name);
  const about = target && {
    workspaceId: target.workspaceId,
    slug: target.endpoint.slug,
    public: target.endpoint.public,
  };
  if (target === undefined || accessToCall(visit.caller, about) !== 'allowed') throw noSuchTool(name);
  return target;
}

function noSuchTool(name: string) {
  return refuse('not_found', `there is no such tool: ${JSON.stringify(name.slice(0, 100))}`);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw refuse('invalid_argument', 'a text expected');
}
