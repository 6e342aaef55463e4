/** How one program is connected: what its user enters, and where. */
export interface ClientLines {
  readonly value: string;
  readonly label: string;
  /** Where the text goes, as a sentence. */
  readonly where: string;
  readonly text: string;
  /** The program signs in with OAuth; otherwise its user puts an API key into the text. */
  readonly signsIn: boolean;
}

const KEY = 'svc_sk_…';

/** The lines for the well-known AI clients, with the address of this hub. */
export function clientLines(origin: string): readonly ClientLines[] {
  const url = `${origin}/mcp`;
  const stdio = { command: 'svc', args: ['mcp'], env: { SVC_BASE_URL: origin, SVC_API_KEY: KEY } };
  return [
    {
      value: 'claude-code',
      label: 'Claude Code',
      where: 'Run this in a terminal. Then choose "svc" in /mcp and sign in.',
      text: `claude mcp add --transport http svc ${url}`,
      signsIn: true,
    },
    {
      value: 'claude-desktop',
      label: 'Claude Desktop',
      where: 'Add this to claude_desktop_config.json (Settings, Developer, Edit Config).',
      text: json({ mcpServers: { svc: stdio } }),
      signsIn: false,
    },
    {
      value: 'cursor',
      label: 'Cursor',
      where: 'Add this to .cursor/mcp.json in a project, or to ~/.cursor/mcp.json.',
      text: json({ mcpServers: { svc: { url } } }),
      signsIn: true,
    },
    {
      value: 'vs-code',
      label: 'VS Code',
      where: 'Add this to .vscode/mcp.json in a project.',
      text: json({ servers: { svc: { type: 'http', url } } }),
      signsIn: true,
    },
    {
      value: 'codex',
      label: 'Codex CLI',
      where: 'Add this to ~/.codex/config.toml. Then run: codex mcp login svc',
      text: `[mcp_servers.svc]\nurl = "${url}"`,
      signsIn: true,
    },
    {
      value: 'header',
      label: 'Another client, over HTTP with a key',
      where: 'Enter the address and the header.',
      text: `${url}\nAuthorization: Bearer ${KEY}`,
      signsIn: false,
    },
    {
      value: 'stdio',
      label: 'Another client, as a program',
      where: 'Let the client start this command.',
      text: `SVC_BASE_URL=${origin} SVC_API_KEY=${KEY} svc mcp`,
      signsIn: false,
    },
  ];
}

function json(value: object): string {
  return JSON.stringify(value, undefined, 2);
}
