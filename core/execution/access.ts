import type { Role } from '../workspace/permissions.ts';
import { may } from '../workspace/permissions.ts';

/** Who asks for something that belongs to a workspace: what a credential was found to be. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'api_key';
      readonly id: string;
      readonly workspaceId: string;
      /** Slugs; undefined: all of the workspace. */
      readonly endpoints: readonly string[] | undefined;
    }
  | { readonly kind: 'member'; readonly id: string; readonly workspaceId: string; readonly role: Role };

/** A key of elsewhere or out of scope sees what it would see of an endpoint that does not exist (decision 25). */
export type Access = 'allowed' | 'not_found' | 'unauthorized';

interface Callable {
  readonly workspaceId: string;
  readonly slug: string;
  readonly public: boolean;
}

/**
 * Whether the caller may run the endpoint; `target` is undefined when there is none at that URL.
 *
 * One path for what is absent and what is foreign: nobody learns from an answer what others have (decision 25). A
 * credential is looked at only where one is needed, so a stale key does not close a public URL.
 */
export function accessToCall(caller: Caller, target: Callable | undefined): Access {
  if (target?.public) return 'allowed';
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (target === undefined || target.workspaceId !== caller.workspaceId) return 'not_found';
  if (caller.kind === 'member') return may(caller.role, 'endpoint.execute') ? 'allowed' : 'not_found';
  return isInScope(caller.endpoints, target.slug) ? 'allowed' : 'not_found';
}

interface Seen {
  readonly workspaceId: string;
  readonly callerKind: 'api_key' | 'member' | 'anonymous' | 'signature';
  readonly callerId: string | undefined;
}

/** Whether the caller may see and cancel an execution or a pipeline run: a key its own, a member the workspace's (decision 20). */
export function accessToExecution(caller: Caller, execution: Seen | undefined): Access {
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (execution === undefined || execution.workspaceId !== caller.workspaceId) return 'not_found';
  if (caller.kind === 'member') return may(caller.role, 'endpoint.view') ? 'allowed' : 'not_found';
  return execution.callerKind === 'api_key' && execution.callerId === caller.id ? 'allowed' : 'not_found';
}

function isInScope(endpoints: readonly string[] | undefined, slug: string): boolean {
  return endpoints === undefined || endpoints.includes(slug);
}
