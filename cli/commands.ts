import type { Command } from 'commander';

/** A subcommand of `svc`. Its file in `commands/` has the same name. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/**
 * The subcommands, in the order of `svc --help`.
 *
 * Only the file of the subcommand that runs is loaded, so the start takes the same time however many rows there are.
 */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'up',
    summary: 'run hub and agent in one process on this machine',
    load: async () => (await import('./commands/up.ts')).upCommand(),
  },
  {
    name: 'hub',
    summary: 'run the hub, which connects agents and callers',
    load: async () => (await import('./commands/hub.ts')).hubCommand(),
  },
  {
    name: 'health',
    summary: 'check the health of the hub on this machine',
    load: async () => (await import('./commands/health.ts')).healthCommand(),
  },
  {
    name: 'agent',
    summary: 'connect the endpoints of a config file to a hub',
    load: async () => (await import('./commands/agent.ts')).agentCommand(),
  },
  {
    name: 'call',
    summary: 'call an endpoint or a pipeline and print its output',
    load: async () => (await import('./commands/call.ts')).callCommand(),
  },
  {
    name: 'logs',
    summary: 'print and follow the output of an execution or a pipeline run',
    load: async () => (await import('./commands/logs.ts')).logsCommand(),
  },
  {
    name: 'tail',
    summary: 'print the output of all executions as it comes',
    load: async () => (await import('./commands/tail.ts')).tailCommand(),
  },
  {
    name: 'artifacts',
    summary: 'list and download the files that an execution left',
    load: async () => (await import('./commands/artifacts.ts')).artifactsCommand(),
  },
  {
    name: 'cancel',
    summary: 'cancel an execution or a pipeline run',
    load: async () => (await import('./commands/cancel.ts')).cancelCommand(),
  },
  {
    name: 'approvals',
    summary: 'list approvals and decide on them',
    load: async () => (await import('./commands/approvals.ts')).approvalsCommand(),
  },
  {
    name: 'endpoints',
    summary: 'list, create, change and delete endpoints',
    load: async () => (await import('./commands/endpoints.ts')).endpointsCommand(),
  },
  {
    name: 'apply',
    summary: 'create and change endpoints and pipelines from a file',
    load: async () => (await import('./commands/apply.ts')).applyCommand(),
  },
  {
    name: 'pipelines',
    summary: 'list and show pipelines',
    load: async () => (await import('./commands/pipelines.ts')).pipelinesCommand(),
  },
  {
    name: 'schedules',
    summary: 'list, pause and resume schedules',
    load: async () => (await import('./commands/schedules.ts')).schedulesCommand(),
  },
  {
    name: 'secrets',
    summary: 'manage secrets and who may use them',
    load: async () => (await import('./commands/secrets.ts')).secretsCommand(),
  },
  {
    name: 'keys',
    summary: 'manage API keys, with which programs call endpoints',
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  {
    name: 'tokens',
    summary: 'manage agent tokens, with which agents connect',
    load: async () => (await import('./commands/tokens.ts')).tokensCommand(),
  },
  {
    name: 'agents',
    summary: 'list agents',
    load: async () => (await import('./commands/agents.ts')).agentsCommand(),
  },
  {
    name: 'alerts',
    summary: 'manage rules that send alerts',
    load: async () => (await import('./commands/alerts.ts')).alertsCommand(),
  },
  {
    name: 'team',
    summary: 'manage members and invitations',
    load: async () => (await import('./commands/team.ts')).teamCommand(),
  },
  {
    name: 'workspace',
    summary: 'list and create workspaces',
    load: async () => (await import('./commands/workspace.ts')).workspaceCommand(),
  },
  {
    name: 'scim',
    summary: 'set up provisioning by an identity provider',
    load: async () => (await import('./commands/scim.ts')).scimCommand(),
  },
  {
    name: 'grants',
    summary: 'manage rights of members and service accounts on endpoints',
    load: async () => (await import('./commands/grants.ts')).grantsCommand(),
  },
  {
    name: 'audit',
    summary: 'list the audit log',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
  {
    name: 'templates',
    summary: 'search the gallery and import from it',
    load: async () => (await import('./commands/templates.ts')).templatesCommand(),
  },
  {
    name: 'usage',
    summary: 'show the plan and its usage',
    load: async () => (await import('./commands/usage.ts')).usageCommand(),
  },
  {
    name: 'login',
    summary: 'sign in to a service with a browser',
    load: async () => (await import('./commands/login.ts')).loginCommand(),
  },
  {
    name: 'logout',
    summary: 'sign out of a service',
    load: async () => (await import('./commands/logout.ts')).logoutCommand(),
  },
  {
    name: 'context',
    summary: 'name several services and switch between them',
    load: async () => (await import('./commands/context.ts')).contextCommand(),
  },
  {
    name: 'admin',
    summary: 'operate the hub on its machine',
    load: async () => (await import('./commands/admin.ts')).adminCommand(),
  },
  {
    name: 'mcp',
    summary: 'give the endpoints of a hub to an AI agent as tools',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  },
  {
    name: 'serve',
    summary: 'serve the endpoints of a config file over HTTP, without a hub',
    load: async () => (await import('./commands/serve.ts')).serveCommand(),
  },
  {
    name: 'init',
    summary: 'write a starter config file with sample endpoints',
    load: async () => (await import('./commands/init.ts')).initCommand(),
  },
  {
    name: 'import',
    summary: 'write a config file of the file of cron, webhook or OliveTin',
    load: async () => (await import('./commands/import.ts')).importCommand(),
  },
  {
    name: 'transform',
    summary: 'try a transform on a sample of output',
    load: async () => (await import('./commands/transform.ts')).transformCommand(),
  },
  {
    name: 'validate',
    summary: 'check a config file and list every problem with line and column',
    load: async () => (await import('./commands/validate.ts')).validateCommand(),
  },
  {
    name: 'licenses',
    summary: 'print the licenses of all packages in the program',
    load: async () => (await import('./commands/licenses.ts')).licensesCommand(),
  },
  {
    name: 'explain',
    summary: 'explain the keys of svc.yaml',
    load: async () => (await import('./commands/explain.ts')).explainCommand(),
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand(),
  },
  {
    name: 'man',
    summary: 'print man pages',
    load: async () => (await import('./commands/man.ts')).manCommand(),
  },
  {
    name: 'upgrade',
    summary: 'replace this program by the newest release',
    load: async () => (await import('./commands/upgrade.ts')).upgradeCommand(),
  },
  {
    name: 'version',
    summary: 'show the version',
    load: async () => (await import('./commands/version.ts')).versionCommand(),
  },
];
