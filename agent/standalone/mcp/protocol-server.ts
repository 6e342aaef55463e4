import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import {
  EXECUTION_META,
  executionOfUri,
  promisedResult,
  RESOURCE_TEMPLATES,
  refusedResult,
  type ToolResult,
  textResult,
  WITHOUT_PROGRESS_MS,
} from '@svc/core/mcp/call-result';
import { OutputPage, pageResult } from '@svc/core/mcp/output-page';
import {
  cancelArguments,
  describeArguments,
  findArguments,
  outputArguments,
  readArguments,
  runArguments,
  statusArguments,
} from '@svc/core/mcp/own-arguments';
import { instructionsOf, OWN_TOOLS, SEARCH_TOOLS } from '@svc/core/mcp/own-tools';
import { progressOf, type SendProgress } from '@svc/core/mcp/progress';
import { foundResult, isSearched } from '@svc/core/mcp/tool-selection';
import { Refusal, refuse } from '@svc/core/refusal';
import { bugMessage } from '../answer/json-response.ts';
import type { CallContext } from '../call/call.ts';
import { awaitCall, type ServedCall, type ServedCalls } from './served-calls.ts';
import { type ServedTool, toolNamed } from './served-tools.ts';

const INSTRUCTIONS = instructionsOf('one fixed command on this machine');

const LIST_TTL_MS = 60_000;
const ALL = { names: undefined, isReadOnly: false, mode: undefined } as const;

export interface ProtocolDeps {
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly calls: ServedCalls;
  readonly reportBug: CallContext['reportBug'];
  readonly version: string;
}

/** A request, and what its revision of the protocol says about a connection that breaks. */
export interface AgentRequest {
  readonly request: Request;
  readonly isModern: boolean;
}

type Args = Readonly<Record<string, unknown>>;

/** The server of one request (decision 66, tools for AI agents). */
export function protocolServer(deps: ProtocolDeps, visit: AgentRequest): McpServer {
  const product = new McpServer(
    { name: 'svc', title: 'svc serve', version: deps.version },
    {
      // The file is read once, so its tools never change while this server runs.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
        'resources/read': { ttlMs: 0, cacheScope: 'private' },
      },
    },
  );
  const { server } = product;
  const all = [...deps.tools.values()].map(({ tool }) => tool);
  const listed = [...(isSearched(ALL, all.length) ? SEARCH_TOOLS : all), ...OWN_TOOLS];
  server.setRequestHandler('tools/list', () => ({ tools: listed as never }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, ctx) => {
    const result = await answered(deps, () => callTool(deps, visit, { name, args }, progressOf(ctx.mcpReq)));
    return { ...result } satisfies CallToolResult;
  });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const call = deps.calls.find(executionOfUri(uri) ?? '');
    if (call === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: 'text/plain', text: call.output.text() }] };
  });
  return product;
}

async function callTool(
  deps: ProtocolDeps,
  visit: AgentRequest,
  { name, args }: { readonly name: string; readonly args: Args },
  sendProgress: SendProgress | undefined,
): Promise<ToolResult> {
  const { tools, calls } = deps;
  const left = visit.request.signal;
  switch (name) {
    case 'svc_output': {
      const { id, from_line: fromLine, lines, grep } = readArguments(outputArguments, args);
      const call = callOf(calls, id);
      const page = new OutputPage({ fromLine, lines, grep });
      page.add(call.output.text());
      return pageResult(page, { kind: 'execution', id, isOver: call.result !== undefined });
    }
    case 'svc_status': {
      const { id, wait_s: waitSec } = readArguments(statusArguments, args);
      return await awaitCall(callOf(calls, id), { sendProgress, left, longestMs: waitSec * 1000 });
    }
    case 'svc_cancel': {
      const call = callOf(calls, readArguments(cancelArguments, args).id);
      if (call.result !== undefined) return call.result;
      call.cancel();
      const text = `The cancel is on its way: execution ${call.id}. svc_status shows when it has ended.`;
      return textResult(text, { isError: false, _meta: { [EXECUTION_META]: call.id } });
    }
    case 'svc_find': {
      const all = [...tools.values()].map(({ tool }) => tool);
      return foundResult(all, readArguments(findArguments, args).query);
    }
    case 'svc_describe': {
      const { tool } = toolNamed(tools, readArguments(describeArguments, args).name);
      return textResult(JSON.stringify(tool), { isError: false });
    }
    case 'svc_run': {
      const wanted = readArguments(runArguments, args);
      return await run(deps, visit, toolNamed(tools, wanted.name), wanted.args, sendProgress);
    }
    default: {
      const found = toolNamed(tools, name);
      const result = await run(deps, visit, found, args, sendProgress);
      return promisedResult(result, found.tool.outputSchema !== undefined);
    }
  }
}

async function run(
  { calls }: ProtocolDeps,
  { request, isModern }: AgentRequest,
  { served }: ServedTool,
  args: Args,
  sendProgress: SendProgress | undefined,
): Promise<ToolResult> {
  const left = request.signal;
  const call = calls.start(served, args, request);
  // From 2026-07-28 on a broken connection is a cancel; before, it is none.
  const cancels = isModern || served.endpoint.onDisconnect === 'cancel';
  const leave = () => void (cancels && call.cancel());
  if (left.aborted) leave();
  else left.addEventListener('abort', leave, { once: true });
  try {
    const longestMs = sendProgress === undefined ? WITHOUT_PROGRESS_MS : undefined;
    return await awaitCall(call, { sendProgress, left, longestMs });
  } finally {
    left.removeEventListener('abort', leave);
  }
}

function callOf(calls: ServedCalls, id: string): ServedCall {
  const call = calls.find(id);
  if (call === undefined) throw refuse('not_found', 'there is no such execution');
  return call;
}

/** A refusal is a result that the model reads; only a bug is a protocol error. */
async function answered({ reportBug }: ProtocolDeps, call: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Refusal) return refusedResult(error.code, error.message, error.details.execution_id);
    throw new ProtocolError(ProtocolErrorCode.InternalError, bugMessage(reportBug(error)));
  }
}
