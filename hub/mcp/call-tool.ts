import { accessToCall } from '@svc/core/execution/access';
import { promisedResult, textResult } from '@svc/core/mcp/call-result';
import { describeArguments, findArguments, readArguments, runArguments } from '@svc/core/mcp/own-arguments';
import { CANCEL_TOOL } from '@svc/core/mcp/own-tools';
import { annotationsOf, requiredSecret } from '@svc/core/mcp/tool';
import { foundResult, noSuchTool } from '@svc/core/mcp/tool-selection';
import { refuse } from '@svc/core/refusal';
import { limitReads } from '../calls/access.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import { OWN_TOOL_HANDLERS } from './own-tools.ts';
import { runEndpoint, type ToolAnswer, type ToolCall } from './run-endpoint.ts';
import { type PipelineTarget, runPipeline } from './run-pipeline.ts';
import type { Visit } from './visit.ts';
import { isAllowed, pipelineToolFor, toolFor, workspaceTools } from './workspace-tools.ts';

/** Calls a tool of svc or an endpoint. Throws `not_found` for an unknown tool. */
export async function callTool(
  deps: RunEndpointDeps,
  visit: Visit,
  call: ToolCall,
  side: AgentSide,
): Promise<ToolAnswer> {
  const own = Object.hasOwn(OWN_TOOL_HANDLERS, call.name) ? OWN_TOOL_HANDLERS[call.name] : undefined;
  // A cancel is never refused for coming too often.
  if (own !== undefined && call.name !== CANCEL_TOOL.name)
    limitReads(deps, visit.caller, visit.workspace.plan);
  if (own !== undefined) return await own(deps, visit, call.args, side);
  switch (call.name) {
    case 'svc_find': {
      const { query } = readArguments(findArguments, call.args);
      return foundResult(await workspaceTools(deps, visit), query);
    }
    case 'svc_describe': {
      const { name } = readArguments(describeArguments, call.args);
      const target = await targetOf(deps, visit, name);
      const tool = target.kind === 'endpoint' ? toolFor(visit, target.registered) : target.tool;
      if (tool === undefined || !isAllowed(visit, tool)) throw noSuchTool(name);
      return textResult(JSON.stringify(tool), { isError: false });
    }
    case 'svc_run': {
      const named = readArguments(runArguments, call.args);
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
  target: ToolTarget,
  call: ToolCall,
  side: AgentSide,
): Promise<ToolAnswer> {
  if (target.kind === 'pipeline') {
    side.useTool(target.tool);
    return await runPipeline(deps, visit, target, call.args, side);
  }
  const { registered } = target;
  side.useTool({ annotations: annotationsOf(registered.endpoint) });
  const secret = requiredSecret(registered.endpoint);
  if (secret !== undefined)
    throw refuse(
      'forbidden',
      `"${call.name}" needs the secret value "${secret}", which an AI agent cannot give`,
    );
  if (toolFor(visit, registered) === undefined) throw noSuchTool(call.name);
  return await runEndpoint(deps, visit, registered, call, side);
}

type ToolTarget =
  | { readonly kind: 'endpoint'; readonly registered: RegisteredEndpoint }
  | ({ readonly kind: 'pipeline' } & PipelineTarget);

function hasSchema(target: ToolTarget): boolean {
  return target.kind === 'endpoint' && target.registered.endpoint.transform?.schema !== undefined;
}

/** Absent, foreign and out-of-scope targets give one answer (decision 25, errors). */
async function targetOf(deps: RunEndpointDeps, visit: Visit, name: string): Promise<ToolTarget> {
  const registered = await deps.lookups.endpoint(visit.workspace.id, name);
  if (registered === undefined) return await pipelineOf(deps, visit, name);
  const { workspaceId, endpoint } = registered;
  const about = { workspaceId, slug: endpoint.slug, public: endpoint.public };
  if (accessToCall(visit.caller, about) !== 'allowed') throw noSuchTool(name);
  return { kind: 'endpoint', registered };
}

async function pipelineOf(deps: RunEndpointDeps, visit: Visit, name: string): Promise<ToolTarget> {
  const { lookups } = deps;
  const { id } = visit.workspace;
  const registered = await lookups.pipeline(id, name);
  if (registered === undefined) throw noSuchTool(name);
  const slugs = registered.pipeline.nodes.flatMap((node) => (node.kind === 'step' ? [node.endpoint] : []));
  const found = await Promise.all([...new Set(slugs)].map(async (slug) => await lookups.endpoint(id, slug)));
  const steps = found.filter((one) => one !== undefined);
  const bySlug = new Map(steps.map(({ endpoint }) => [endpoint.slug, endpoint]));
  const tool = pipelineToolFor(visit, registered, bySlug);
  if (tool === undefined) throw noSuchTool(name);
  return { kind: 'pipeline', registered, tool };
}
