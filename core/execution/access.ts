import type { EndpointAction, EndpointRights } from '../workspace/endpoint-rights.ts';
import type { Role } from '../workspace/permissions.ts';
import { may } from '../workspace/permissions.ts';

/** The caller of a resource of a workspace, as identified by the credential. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'api_key';
      readonly id: string;
      readonly workspaceId: string;
      /** Slugs; undefined: all of the workspace. */
      readonly endpoints: readonly string[] | undefined;
      /** An AI client that may read every execution of the workspace, not only its own; absent: only its own. */
      readonly readsAll?: boolean;
      /** The scopes that a user granted an AI client, before its role cuts them; absent: no AI client. */
      readonly granted?: string;
      /** Those of the person or service account that the key acts for; undefined: their role decides. */
      readonly rights?: EndpointRights | undefined;
    }
  | {
      readonly kind: 'member';
      readonly id: string;
      readonly workspaceId: string;
      readonly role: Role;
      /** Undefined: the role decides. */
      readonly rights?: EndpointRights | undefined;
    };

/**
 * A key of another workspace, or without this scope, gets the answer for an endpoint that does not exist (decision 25,
 * errors). `forbidden`: a member who sees the resource, but whose role may not do this.
 */
export type Access = 'allowed' | 'forbidden' | 'not_found' | 'unauthorized';

/** The message of a refusal with `forbidden`. */
export const MAY_ONLY_VIEW = 'your role may only view';

interface Callable {
  readonly workspaceId: string;
  readonly slug: string;
  readonly public: boolean;
}

/**
 * Whether the caller may run the endpoint; `target` is undefined if there is none at that URL.
 *
 * An absent endpoint and a foreign one give the same answer, so answers do not reveal what others have (decision 25,
 * errors). A credential is checked only if one is needed, so a stale key does not close a public URL.
 */
export function accessToCall(caller: Caller, target: Callable | undefined): Access {
  if (target?.public) return 'allowed';
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (target === undefined || target.workspaceId !== caller.workspaceId) return 'not_found';
  if (!seesEndpoint(caller, target.slug)) return 'not_found';
  if (caller.kind === 'member') return mayDo(caller, 'run', target.slug) ? 'allowed' : 'forbidden';
  const isAllowed = isInScope(caller.endpoints, target.slug) && mayDo(caller, 'run', target.slug);
  return isAllowed ? 'allowed' : 'not_found';
}

type Known = Exclude<Caller, { kind: 'anonymous' }>;

/** Whether the caller may know of an endpoint or a pipeline, or of what belongs to it. */
export function seesEndpoint(caller: Known, slug: string): boolean {
  return mayDo(caller, 'view', slug);
}

/** What the rights of a caller say, else the role of a member (decision 87, rights per endpoint). */
function mayDo(caller: Known, action: Extract<EndpointAction, 'view' | 'run'>, slug: string): boolean {
  if (caller.rights !== undefined) return caller.rights.may(action, slug);
  const permission = action === 'view' ? 'endpoint.view' : 'endpoint.execute';
  return caller.kind !== 'member' || may(caller.role, permission);
}

interface Seen {
  readonly workspaceId: string;
  /** Of its endpoint, or of the pipeline of a run. */
  readonly slug: string;
  readonly callerKind: 'api_key' | 'member' | 'anonymous' | 'signature';
  readonly callerId: string | undefined;
}

/**
 * Whether the caller may see an execution or a pipeline run: a key its own, a member those of the workspace (decision 20,
 * asynchronous calls and records).
 */
export function accessToExecution(caller: Caller, execution: Seen | undefined): Access {
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (execution === undefined || execution.workspaceId !== caller.workspaceId) return 'not_found';
  if (!seesEndpoint(caller, execution.slug)) return 'not_found';
  if (caller.kind === 'member') return 'allowed';
  return execution.callerKind === 'api_key' && execution.callerId === caller.id ? 'allowed' : 'not_found';
}

/** Whether the caller may cancel it, run it again, or get the link that approves it. A viewer may only see it. */
export function accessToControl(caller: Caller, execution: Seen | undefined): Access {
  const access = accessToExecution(caller, execution);
  if (access !== 'allowed' || caller.kind === 'anonymous' || execution === undefined) return access;
  return mayDo(caller, 'run', execution.slug) ? 'allowed' : 'forbidden';
}

/** Whether the caller may read it, which the scope `read` of an AI client allows for the whole workspace. */
export function accessToRead(caller: Caller, execution: Seen | undefined): Access {
  const readsAll = caller.kind === 'api_key' && caller.readsAll === true;
  if (readsAll && execution?.workspaceId === caller.workspaceId)
    return seesEndpoint(caller, execution.slug) ? 'allowed' : 'not_found';
  return accessToExecution(caller, execution);
}

function isInScope(endpoints: readonly string[] | undefined, slug: string): boolean {
  return endpoints === undefined || endpoints.includes(slug);
}
