import { Command } from 'commander';
import type { McpOptions } from '../mcp/mcp.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc mcp                              the endpoints of the hub as tools, on standard input and output
  svc mcp --tools 'disk,deploy*'       only these tools
  svc mcp --readonly                   only tools whose endpoint says effects: read
  claude mcp add svc -- svc mcp        for a client that starts programs

A client that speaks HTTP needs no bridge: POST <hub>/mcp, with the key in Authorization: Bearer.

Environment:
  SVC_BASE_URL  the URL of the service (default: the context in use, else http://127.0.0.1:8787)
  SVC_API_KEY   the API key (default: SVC_ACCESS_TOKEN, else the token of svc login, else the key of svc up here)

Give an agent a key of its own: its calls are then known, and the key can be revoked alone.

Exit codes:
  0  the client closed standard input
  2  bad input`;

export function mcpCommand(): Command {
  const command = new Command('mcp')
    .option('--tools <names>', 'only these tools: names, or beginnings that end in *')
    .option('--readonly', 'only tools that change nothing')
    .option('--mode <mode>', 'list or search (default: by the number of tools)')
    .option(...API_KEY_OPTION);
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (options: McpOptions) => {
      const { mcp } = await import('../mcp/mcp.ts');
      await mcp(options);
    });
}
