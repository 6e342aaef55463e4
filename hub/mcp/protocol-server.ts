import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { accessToRead } from '@svc/core/execution/access';
import { executionOfUri, RESOURCE_TEMPLATES, refusedResult } from '@svc/core/mcp/call-result';
import { instructionsOf } from '@svc/core/mcp/own-tools';
import { progressOf } from '@svc/core/mcp/progress';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import { limitReads } from '../calls/access.ts';
import { collectStored } from '../executions/stored-output.ts';
import { bugMessage } from '../platform/http/json-response.ts';
import type { RunEndpointDeps } from './agent-side.ts';
import { callTool } from './call-tool.ts';
import { canOpenUrls } from './client-capabilities.ts';
import { clientStream } from './client-questions.ts';
import { visibleExecution } from './own-tools.ts';
import type { ToolAnswer } from './run-endpoint.ts';
import { openFor, type PendingCallState } from './sealed-state.ts';
import { addTaskMethods, canPoll } from './task-methods.ts';
import { TASKS_EXTENSION } from './tasks.ts';
import type { Visit } from './visit.ts';
import { type AllowedCall, whileAllowed } from './while-allowed.ts';
import { listedTools, workspaceTools } from './workspace-tools.ts';

const LIST_TTL_MS = 5_000;

const INSTRUCTIONS = instructionsOf(
  'one fixed command, or a fixed pipeline of commands, on machines of the workspace',
  'A tool may need the approval of a person: you cannot give it, and opening the link does not give it.',
);

/** The server of one request. `left` aborts when the client gives up or its connection breaks. */
export function protocolServer(
  deps: RunEndpointDeps,
  visit: Visit,
  {
    era,
    version,
    left,
    canBeAsked = false,
  }: {
    readonly era: 'legacy' | 'modern';
    readonly version: string;
    readonly left: AbortSignal;
    /** The client of an earlier revision can be asked to open a URL while its request waits. */
    readonly canBeAsked?: boolean;
  },
): McpServer {
  const product = new McpServer(
    { name: 'svc', title: `svc: ${visit.workspace.username ?? 'workspace'}`, version },
    {
      capabilities: {
        // Earlier revisions have no stream for it without a session. The library says true where we say nothing.
        tools: { listChanged: era === 'modern' },
        resources: { listChanged: false },
        ...(era === 'modern' ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
      },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
        'resources/read': { ttlMs: 0, cacheScope: 'private' },
      },
      requestState: { verify: (state) => openState(deps, visit, state) },
    },
  );
  const { server } = product;
  const isModern = era === 'modern';
  server.setRequestHandler('tools/list', async () => ({
    tools: listedTools(visit, await workspaceTools(deps, visit)) as never,
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, ctx) => {
    const side = {
      canOpenUrls: isModern && canOpenUrls(ctx),
      canPoll: isModern && canPoll(ctx),
      sendProgress: progressOf(ctx.mcpReq),
      stream: !isModern && canBeAsked ? clientStream(product, ctx) : undefined,
      left,
      isCancelledByLeaving: isModern,
      state: ctx.mcpReq.requestState<PendingCallState>(),
    };
    const call = (allowed: AllowedCall) => callTool(deps, visit, { name, args }, { ...side, ...allowed });
    return wireResult(await answered(deps, () => whileAllowed(deps, visit, call)));
  });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const id = executionOfUri(uri);
    if (id === undefined) throw new ResourceNotFoundError(uri);
    refuseTooManyReads(deps, visit);
    const text = await outputText(deps, visit, id, uri);
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  });
  if (isModern) addTaskMethods(product, deps, visit);
  return product;
}

/** Throws for a state that is too old or belongs to another principal: the library answers `-32602`. */
function openState({ vault, clock }: RunEndpointDeps, visit: Visit, state: string): PendingCallState {
  const opened = openFor(vault, visit, 'state', state) as PendingCallState | undefined;
  if (opened === undefined || clock.nowMs() > opened.validUntilMs)
    throw new Error('not a state of this agent');
  return opened;
}

/** A refusal is a result that the model reads; only a bug is a protocol error. */
async function answered(
  { reportBug }: RunEndpointDeps,
  call: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Refusal) return refusedResult(error.code, error.message, error.details.execution_id);
    throw new ProtocolError(ProtocolErrorCode.InternalError, bugMessage(reportBug(error)));
  }
}

function wireResult(result: ToolAnswer): CallToolResult | InputRequiredResult {
  if ('resultType' in result) return { ...result } as unknown as CallToolResult;
  if (!('kind' in result)) return { ...result };
  const { url, message, state } = result;
  return inputRequired({
    inputRequests: { approval: inputRequired.elicitUrl({ message, url }) },
    requestState: state,
  });
}

function refuseTooManyReads(deps: RunEndpointDeps, { caller, workspace }: Visit): void {
  try {
    limitReads(deps, caller, workspace.plan);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${error.code}: ${error.message}`);
  }
}

async function outputText(deps: RunEndpointDeps, visit: Visit, id: string, uri: string): Promise<string> {
  const execution = await visibleExecution(deps, visit, id, accessToRead).catch((error: unknown) => {
    throw error instanceof Refusal ? new ResourceNotFoundError(uri) : error;
  });
  const output = await collectStored(deps.ledger, execution.id, LIMITS.bufferedOutputBytes);
  const note = output.isTruncated ? '\n… svc_output reads the rest' : '';
  return output.text + note;
}
