import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The capabilities that the client declared with a request, from the revision 2026-07-28 on. */
export function declaredBy(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** The client can show a URL to its user. */
export function canOpenUrls(ctx: ServerContext): boolean {
  return declaredBy(ctx)?.elicitation?.url !== undefined;
}
