import type { Permission } from '../workspace/permissions.ts';

/** Kinds of credential that a request may carry (reference 5, decisions 1, 14 and 44). */
export type CredentialKind = 'api_key' | 'session' | 'personal' | 'read_token' | 'agent_token';

/**
 * Who may use a route.
 *
 * `open`: anybody. `caller`: decided by the endpoint or execution it leads to, for the kinds that are listed. `user`: who has
 * signed in. `member`: who has the permission in the workspace. `operator`: 404 for everybody else.
 */
export type RouteAccess =
  | { readonly kind: 'open' }
  | { readonly kind: 'caller'; readonly credentials: readonly CredentialKind[] }
  | { readonly kind: 'user'; readonly credentials: readonly ('session' | 'personal')[] }
  | { readonly kind: 'owner'; readonly credentials: readonly ('session' | 'personal')[] }
  | {
      readonly kind: 'member';
      readonly permission: Permission;
      readonly credentials: readonly ('session' | 'personal')[];
    }
  | { readonly kind: 'operator' }
  | { readonly kind: 'agent' };

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** Segments in braces take any one segment. */
  readonly path: string;
  readonly access: RouteAccess;
}

const OPEN = { kind: 'open' } as const;
const SIGNED_IN = ['session', 'personal'] as const;
const EXECUTION = { kind: 'caller', credentials: ['api_key', 'session', 'personal', 'read_token'] } as const;

function member(permission: Permission) {
  return { kind: 'member', permission, credentials: SIGNED_IN } as const;
}

/** Every HTTP route of the hub, once (decision 45): a handler without a row cannot be written. */
export const ROUTES = {
  callEndpoint: {
    method: 'POST',
    path: '/v1/{username}/{slug}',
    access: { kind: 'caller', credentials: ['api_key', 'personal'] },
  },
  callEndpointByGet: {
    method: 'GET',
    path: '/v1/{username}/{slug}',
    access: { kind: 'caller', credentials: ['api_key', 'personal'] },
  },
  connectAgent: { method: 'GET', path: '/agents/connect', access: { kind: 'agent' } },
  health: { method: 'GET', path: '/health', access: OPEN },
  ready: { method: 'GET', path: '/ready', access: OPEN },
  metrics: { method: 'GET', path: '/metrics', access: OPEN },
  badge: { method: 'GET', path: '/{username}/badge.svg', access: OPEN },
  requestMagicLink: { method: 'POST', path: '/auth/magic-link', access: OPEN },
  showMagicLink: { method: 'GET', path: '/login/{token}', access: OPEN },
  confirmMagicLink: { method: 'POST', path: '/login/{token}', access: OPEN },
  makeAccessToken: { method: 'POST', path: '/auth/token', access: OPEN },
  signOut: { method: 'POST', path: '/auth/logout', access: { kind: 'user', credentials: SIGNED_IN } },
  showWorkspace: { method: 'GET', path: '/workspace', access: { kind: 'user', credentials: SIGNED_IN } },
  chooseUsername: {
    method: 'PUT',
    path: '/workspace/username',
    access: { kind: 'owner', credentials: SIGNED_IN },
  },
  makeApiKey: { method: 'POST', path: '/api-keys', access: member('api_key.manage_own') },
  listApiKeys: { method: 'GET', path: '/api-keys', access: member('api_key.manage_own') },
  revokeApiKey: { method: 'DELETE', path: '/api-keys/{id}', access: member('api_key.manage_own') },
  makeAgentToken: { method: 'POST', path: '/agent-tokens', access: member('agent.manage') },
  listAgentTokens: { method: 'GET', path: '/agent-tokens', access: member('agent.manage') },
  revokeAgentToken: { method: 'DELETE', path: '/agent-tokens/{id}', access: member('agent.manage') },
  listAgents: { method: 'GET', path: '/agents', access: member('endpoint.view') },
  listEndpoints: { method: 'GET', path: '/endpoints', access: member('endpoint.view') },
  makePersonalToken: { method: 'POST', path: '/tokens', access: { kind: 'user', credentials: ['session'] } },
  startExecution: { method: 'POST', path: '/executions', access: member('endpoint.execute') },
  listExecutions: {
    method: 'GET',
    path: '/executions',
    access: { kind: 'caller', credentials: ['api_key', ...SIGNED_IN] },
  },
  showExecution: { method: 'GET', path: '/executions/{id}', access: EXECUTION },
  streamExecution: { method: 'GET', path: '/executions/{id}/stream', access: EXECUTION },
  readOutput: { method: 'GET', path: '/executions/{id}/output', access: EXECUTION },
  cancelExecution: { method: 'POST', path: '/executions/{id}/cancel', access: EXECUTION },
  showOutbox: { method: 'GET', path: '/outbox', access: { kind: 'operator' } },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

/** The words between the braces of a path. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

export type ParametersOf<Name extends RouteName> = Readonly<
  Record<PathParameters<(typeof ROUTES)[Name]['path']>, string>
>;
