/** The path of the MCP server; `/mcp/{username}` is the same server for one workspace. */
const MCP_PATH = '/mcp';
const WORKSPACE_PATH = /^\/[A-Za-z0-9._~-]{1,100}$/;

/** A resource that tokens can be for (RFC 8707). */
export interface ProtectedResource {
  readonly uri: string;
  /** Undefined: the workspace that the user chooses. */
  readonly username: string | undefined;
}

/** Reads `resource`; without it the whole MCP server of the hub is meant. Undefined: another server is meant. */
export function readResource(hubUrl: string, text: string | undefined): ProtectedResource | undefined {
  const server = `${hubUrl}${MCP_PATH}`;
  const uri = text ?? server;
  if (uri === server || uri === `${server}/`) return { uri: server, username: undefined };
  const rest = uri.startsWith(server) ? uri.slice(server.length) : '';
  return WORKSPACE_PATH.test(rest) ? { uri, username: rest.slice(1) } : undefined;
}

/** Whether a token for one resource is accepted at another: at the same, and below it. */
export function isAccepted(granted: string, asked: string): boolean {
  return asked === granted || asked.startsWith(`${granted}/`);
}
