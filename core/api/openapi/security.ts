import type { CredentialKind, RouteAccess } from '../contract/access.ts';

type Requirement = Readonly<Record<string, readonly []>>;

/** How requests carry each kind of credential (reference 5, decisions 14, 20 and 44). */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key, `svc_sk_…`. Also accepted as `Authorization: Bearer`.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, `svc_pat_…`, bound to one workspace.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-svc_session',
    description:
      'The session of a browser; `svc_session` where the hub is reached by plain http. Accepted from pages of the hub only.',
  },
  serviceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of a service account, `svc_sk_…`. Also accepted as `Authorization: Bearer`.',
  },
  readToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Reads one execution: it is in the URLs with which a call without a key is answered.',
  },
  agentToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An agent token, `svc_at_…`.',
  },
  scimToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the provider of a workspace, `svc_scim_…`. Only `/scim/v2` accepts it.',
  },
  aiClient: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of an AI client, `svc_oa_…`, which it got with OAuth. Only `/mcp` accepts it.',
  },
} as const;

const SCHEME_OF = {
  api_key: 'apiKey',
  personal: 'accessToken',
  session: 'session',
  service_key: 'serviceKey',
  read_token: 'readToken',
  agent_token: 'agentToken',
  scim_token: 'scimToken',
  oauth: 'aiClient',
} as const satisfies Record<CredentialKind, keyof typeof SECURITY_SCHEMES>;

/** The credentials of which one is required; empty if none is. */
export function securityOf(access: RouteAccess): Requirement[] {
  switch (access.kind) {
    case 'open':
      return [];
    case 'agent':
      return [{ agentToken: [] }];
    case 'scim':
      return [{ scimToken: [] }];
    case 'operator':
      return [{ accessToken: [] }, { session: [] }];
    case 'caller':
    case 'user':
    case 'owner':
    case 'member':
    case 'principal':
      return access.credentials.map((kind) => ({ [SCHEME_OF[kind]]: [] }));
  }
}

/** The access to a route, in a sentence. */
export function whoMay(access: RouteAccess): string {
  switch (access.kind) {
    case 'open':
      return 'For everyone.';
    case 'caller':
      return 'For callers of the endpoint.';
    case 'user':
      return 'For signed-in users.';
    case 'owner':
      return 'For the owner of the workspace.';
    case 'member':
      return `For members whose role has the permission \`${access.permission}\`.`;
    case 'principal':
      return `For members and service accounts whose role has the permission \`${access.permission}\`.`;
    case 'operator':
      return 'For operators of the hub; everyone else gets 404.';
    case 'agent':
      return 'For agents.';
    case 'scim':
      return 'For the provider of a workspace, with its SCIM token.';
  }
}
