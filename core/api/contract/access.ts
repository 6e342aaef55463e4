import type { EndpointAction } from '../../workspace/endpoint-rights.ts';
import type { Permission, ServiceAccountPermission } from '../../workspace/permissions.ts';

/** Kinds of credential that a request may carry (reference 5, decisions 1, 14 and 44). */
export type CredentialKind =
  | 'api_key'
  | 'session'
  | 'personal'
  | 'service_key'
  | 'read_token'
  | 'agent_token'
  | 'scim_token'
  | 'oauth';
type UserCredential = Extract<CredentialKind, 'session' | 'personal'>;

/**
 * The access to a route.
 *
 * `open`: everyone. `caller`: the endpoint or execution decides, for the listed kinds of credential. `user`: a signed-in
 * user. `member`: a member with the permission in the workspace. `principal`: such a member, or a service account with the permission. `operator`: an
 * operator; everyone else gets 404. `scim`: the provider of a workspace, with its SCIM token.
 *
 * `isForEverySession`: also for sessions from the provider of a workspace, which are else for no account (decision 92, providers of
 * workspaces).
 *
 * `byEndpoint`: the handler applies the rights on endpoints, or shows nothing of endpoints. A grant of this action then also
 * opens the route, whatever the role; with `none` no grant does. Without it the route refuses principals whose endpoints are those of grants only
 * (decision 87, rights per endpoint), so a new route shows them nothing.
 */
export type RouteAccess =
  | { readonly kind: 'open' }
  | { readonly kind: 'caller'; readonly credentials: readonly CredentialKind[] }
  | {
      readonly kind: 'user';
      readonly credentials: readonly UserCredential[];
      readonly isForEverySession?: true;
    }
  | { readonly kind: 'owner'; readonly credentials: readonly UserCredential[] }
  | {
      readonly kind: 'member';
      readonly permission: Permission;
      readonly credentials: readonly UserCredential[];
      readonly byEndpoint?: EndpointAction | 'none';
    }
  | {
      readonly kind: 'principal';
      readonly permission: ServiceAccountPermission;
      readonly credentials: readonly (UserCredential | 'service_key')[];
      readonly byEndpoint?: EndpointAction | 'none';
    }
  | { readonly kind: 'operator' }
  | { readonly kind: 'agent' }
  | { readonly kind: 'scim' };

export const SIGNED_IN = ['session', 'personal'] as const;

export const OPEN = { kind: 'open' } as const;
export const OPERATOR = { kind: 'operator' } as const;
export const SCIM = { kind: 'scim' } as const;
export const USER = { kind: 'user', credentials: SIGNED_IN } as const;
/** A signed-in user, also with a session from the provider of a workspace. */
export const EVERY_SESSION = { ...USER, isForEverySession: true } as const;
export const OWNER = { kind: 'owner', credentials: SIGNED_IN } as const;

/**
 * Access to one execution: a key to its own, a member to those of the workspace, and the holder of its read token (decision
 * 20, asynchronous calls and records).
 */
export const EXECUTION_READER = {
  kind: 'caller',
  credentials: ['api_key', 'session', 'personal', 'read_token'],
} as const;

/** A member of the workspace of the request whose role has the permission. */
export function member<const Name extends Permission>(permission: Name) {
  return { kind: 'member', permission, credentials: SIGNED_IN } as const;
}

/** A member, or a service account, whose role has the permission (decision 81, service accounts). */
export function principal<const Name extends ServiceAccountPermission>(permission: Name) {
  return { kind: 'principal', permission, credentials: [...SIGNED_IN, 'service_key'] } as const;
}

/** The same access, for a handler that applies the rights on endpoints (decision 87, rights per endpoint). */
export function byEndpoint<const Access extends object>(access: Access, action: EndpointAction | 'none') {
  return { ...access, byEndpoint: action } as const;
}
