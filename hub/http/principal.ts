import type { Caller } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import { actsWithRole } from '@svc/core/service-account/service-account';
import { tokenKind } from '@svc/core/token/token';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import { isNamed } from '@svc/core/workspace/username';
import { hashToken } from '../accounts/make-tokens.ts';
import type { ServiceAccounts } from '../service-accounts/store/service-account-store.ts';
import { type Acting, acting, type IdentityDeps, tokenOf } from './identity.ts';

/** A member or a service account in the workspace that a request is about. */
export type Principal = Pick<Acting, 'member' | 'workspace' | 'rights'>;

type KnownCaller = Extract<Caller, { kind: 'member' }>;

export interface PrincipalDeps extends IdentityDeps {
  readonly serviceAccounts: Pick<ServiceAccounts, 'byKey'>;
}

/** The principal of a request whose credential is valid and of one of these kinds; else undefined. */
export async function principalOf(
  deps: PrincipalDeps,
  request: Request,
  kinds: readonly string[],
): Promise<Principal | undefined> {
  const token = tokenOf(request);
  if (token === undefined || tokenKind(token) !== 'api_key') return acting(deps, request, kinds);
  return kinds.includes('service_key') ? serviceAccountOf(deps, request, token) : undefined;
}

/** The rights on endpoints that a principal has now; undefined: the role decides (decision 87, rights per endpoint). */
export async function rightsOf(
  { lookups }: Pick<IdentityDeps, 'lookups'>,
  { member: { userId: id, role, isServiceAccount }, workspace }: Principal,
): Promise<EndpointRights | undefined> {
  const kind = isServiceAccount ? 'service_account' : 'member';
  return (await lookups.rights(workspace.id)).of({ kind, id, role });
}

/** The principal as the caller of endpoints. */
export function callerOfPrincipal({ member, workspace, rights }: Principal): KnownCaller {
  return { kind: 'member', id: member.userId, workspaceId: workspace.id, role: member.role, rights };
}

/** Whether the principal may know of an endpoint or a pipeline, or of what belongs to it. */
export function seesSlug({ rights }: Pick<Principal, 'rights'>, slug: string): boolean {
  return rights?.may('view', slug) ?? true;
}

/** A key that is limited to endpoints only calls these, so it identifies no principal. */
async function serviceAccountOf(
  { accounts, clock, keyUse, serviceAccounts }: PrincipalDeps,
  { headers }: Request,
  token: string,
): Promise<Principal | undefined> {
  const found = await serviceAccounts.byKey(hashToken(token));
  if (found === undefined) return undefined;
  const { account, key } = found;
  const nowMs = clock.nowMs();
  if (key.revokedAtMs !== undefined || (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs))
    return undefined;
  if (account.disabledAtMs !== undefined || account.workspaceId !== key.workspaceId) return undefined;
  if (!actsWithRole(account, key.endpoints)) return undefined;
  const workspace = await accounts.workspaceById(account.workspaceId);
  if (workspace === undefined) return undefined;
  const named = headers.get('x-svc-workspace');
  if (named !== null && !isNamed(workspace, named))
    throw refuse('forbidden', 'this service account belongs to another workspace');
  keyUse.note(key, nowMs);
  const { id: userId, name: email, workspaceId, role } = account;
  return { workspace, member: { userId, email, workspaceId, role, epoch: 0, isServiceAccount: true } };
}
