import { refuse } from '../refusal.ts';

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
  'docs',
  'health',
  'ready',
  'metrics',
  'executions',
  'events',
  'pipeline-runs',
  'approvals',
  'api-keys',
  'service-accounts',
  'service-account-keys',
  'agent-enrolments',
  'agents',
  'agent-tokens',
  'scim',
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
  'oauth',
  'ai-clients',
  'openapi',
  'openapi.json',
  'tail',
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

/** What URLs with a former username answer: 308 to the same path with the present one, or 410. */
export const OLD_URLS = ['redirect', 'gone'] as const;
export type OldUrls = (typeof OLD_URLS)[number];

/** How many former usernames a workspace keeps. They stay reserved, so the limit keeps a workspace from reserving any number of names. */
export const MAX_FORMER_USERNAMES = 5;

/** The names of a workspace: its username and its former ones. */
export interface WorkspaceNames {
  /** Undefined until its owner has chosen one. */
  readonly username: string | undefined;
  /** Former usernames, the latest last; undefined: none. */
  readonly formerUsernames?: readonly string[] | undefined;
}

/** Whether a name means the workspace, as its present or a former username. */
export function isNamed({ username, formerUsernames = [] }: WorkspaceNames, name: string): boolean {
  return username === name || formerUsernames.includes(name);
}

/**
 * The former usernames of a workspace that gets another one (decision 102, change of username). Refuses with `invalid_argument`,
 * `username_taken` or `limit_reached`.
 */
export function decideUsernameChange(
  { username, formerUsernames = [] }: WorkspaceNames,
  wanted: string,
): { readonly from: string; readonly former: readonly string[] } {
  if (username === undefined)
    throw refuse('invalid_argument', 'the workspace has no username yet: choose one with PUT');
  if (wanted === username) throw refuse('invalid_argument', 'username: this is its username already');
  const former = [...formerUsernames.filter((one) => one !== wanted), username];
  if (former.length > MAX_FORMER_USERNAMES)
    throw refuse(
      'limit_reached',
      `a workspace keeps at most ${MAX_FORMER_USERNAMES} former usernames; it can take one of them again: ${formerUsernames.join(', ')}`,
    );
  return { from: username, former };
}
