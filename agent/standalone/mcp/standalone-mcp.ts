import { createMcpHandler } from '@modelcontextprotocol/server';
import { readJsonText } from '@svc/core/api/call-values';
import { readJson } from '@svc/core/api/json/read-json';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal } from '@svc/core/refusal';
import type { RoutesContext, ServeHandler } from '../routes.ts';
import { type ProtocolDeps, protocolServer } from './protocol-server.ts';
import { ServedCalls } from './served-calls.ts';
import { servedTools } from './served-tools.ts';

/**
 * The Model Context Protocol at `/mcp` of `svc serve`, in both eras. Each request has its own server. The rules for hosts and browsers
 * are those of every route, so a page of another site cannot reach it by DNS rebinding.
 */
export function standaloneMcp(context: RoutesContext): ServeHandler {
  const { reportBug, version, keepOpen } = context;
  const tools = servedTools(context.served);
  const deps: ProtocolDeps = { tools, calls: new ServedCalls(context), reportBug, version };
  const handler = createMcpHandler(({ authInfo, era }) => {
    const request = authInfo?.extra?.request as Request | undefined;
    if (request === undefined) throw new Error('a server without a request');
    return protocolServer(deps, { request, isModern: era === 'modern' });
  });
  return async (request) => {
    const parsedBody = await messageIn(request);
    if (parsedBody instanceof Response) return parsedBody;
    keepOpen(request);
    const authInfo = { token: '', clientId: '', scopes: [], extra: { request } };
    return await handler.fetch(request, { parsedBody, authInfo });
  };
}

/** Parses the message as strictly as every body. A body that is not JSON is an error of the protocol. */
async function messageIn(request: Request): Promise<unknown> {
  try {
    return readJson(await readJsonText(request));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    const rpcCode = code === 'invalid_json' ? -32700 : -32600;
    const body = { jsonrpc: '2.0', id: null, error: { code: rpcCode, message } };
    return Response.json(body, { status: REFUSAL_STATUS[code] });
  }
}
