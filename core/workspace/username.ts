/** The segment of a URL that names a workspace (decision 3, usernames). */
export const USERNAME_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])$/;

/** First path segments that the service uses or may use. No user can have one of these names (decision 3, usernames). */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set([
  'v1',
  'v2',
  'endpoints',
  'pipelines',
  'team',
  'hosted',
  'usage',
  'api',
  'approve',
  'join',
  'dashboard',
  'health',
  'ready',
  'metrics',
  'executions',
  'events',
  'pipeline-runs',
  'approvals',
  'api-keys',
  'agents',
  'agent-tokens',
  'secret-grants',
  'secrets',
  'schedules',
  'alerts',
  'workspace',
  'workspaces',
  'auth',
  'login',
  'logout',
  'signup',
  'device',
  'tokens',
  'outbox',
  'me',
  'mcp',
  'openapi',
  'openapi.json',
  'docs',
  'static',
  'assets',
  'templates',
  'badge',
  'admin',
  'audit',
  'svc',
  'www',
  'status',
  'help',
  'about',
  'terms',
  'privacy',
  'pricing',
  'support',
  'billing',
  'webhooks',
  'settings',
  'robots',
  'favicon',
  'root',
]);

export type UsernameProblem = 'malformed' | 'reserved';

/** Why a text cannot be a username; taken names are checked by the store. */
export function usernameProblem(text: string): UsernameProblem | undefined {
  if (!USERNAME_PATTERN.test(text)) return 'malformed';
  return RESERVED_USERNAMES.has(text) ? 'reserved' : undefined;
}
