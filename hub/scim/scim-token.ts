import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { mayMapGroups } from '@svc/core/team/group-roles';
import type { AssignableRole } from '@svc/core/team/invite';
import { tokenKind } from '@svc/core/token/token';
import type { Member, Workspace } from '../accounts/account-ports.ts';
import { hashToken, type Made, makeToken } from '../accounts/make-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { ScimDirectory, ScimToken } from './store/scim-store.ts';

interface TokenDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly scim: ScimDirectory;
  readonly settings: Pick<Settings, 'scimWorkspaces'>;
}

/** Whether the operator lets a workspace be provisioned (decision 91, provisioning by SCIM). */
export function mayProvision({ settings }: Pick<TokenDeps, 'settings'>, workspace: Workspace): boolean {
  return mayMapGroups(settings.scimWorkspaces, workspace);
}

/** Creates the token of a workspace. The one before no longer works. */
export async function makeScimToken(
  deps: TokenDeps,
  {
    workspace,
    member,
    defaultRole,
  }: { readonly workspace: Workspace; readonly member: Member; readonly defaultRole: AssignableRole },
  by: AuditSource,
): Promise<Made<ScimToken>> {
  if (!mayProvision(deps, workspace))
    throw refuse(
      'forbidden',
      'the operator of this hub does not let this workspace be provisioned (SVC_SCIM_WORKSPACES)',
    );
  const { token, hash, last4, createdAtMs, id } = makeToken(deps, 'scim_token');
  const workspaceId = workspace.id;
  const row = {
    workspaceId,
    hash,
    last4,
    defaultRole,
    createdBy: member.userId,
    createdAtMs,
    usedAtMs: undefined,
  };
  await deps.scim.setToken(row, {
    ...by,
    workspaceId,
    atMs: createdAtMs,
    action: 'scim.token_made',
    target: { kind: 'scim_token', id, name: `…${last4}` },
    details: { last4, default_role: defaultRole },
  });
  return { row, token };
}

/** Removes the token of a workspace. Users and memberships stay as they are. */
export async function removeScimToken(
  { scim, clock }: Pick<TokenDeps, 'scim' | 'clock'>,
  workspaceId: string,
  by: AuditSource,
): Promise<void> {
  const found = await scim.tokenOf(workspaceId);
  const isRemoved =
    found !== undefined &&
    (await scim.removeToken(workspaceId, {
      ...by,
      workspaceId,
      atMs: clock.nowMs(),
      action: 'scim.token_removed',
      target: { kind: 'scim_token', id: workspaceId, name: `…${found.last4}` },
      details: { last4: found.last4 },
    }));
  if (!isRemoved) throw refuse('not_found', 'this workspace has no token for SCIM');
}

/** A request of a provider. */
export interface Provisioning {
  readonly workspace: Workspace;
  readonly token: ScimToken;
}

export type ProvisioningDeps = Pick<TokenDeps, 'clock' | 'scim' | 'settings'> & {
  readonly accounts: Pick<Accounts, 'workspaceById'>;
  readonly reportBug: (error: unknown) => unknown;
};

const NOTED_EVERY_MS = 60_000;

/** The workspace of a token; undefined: the token is no token of SCIM, was replaced or removed, or its workspace is deleted. */
export async function provisioningOf(
  deps: ProvisioningDeps,
  token: string | undefined,
): Promise<Provisioning | undefined> {
  if (token === undefined || tokenKind(token) !== 'scim_token') return undefined;
  const found = await deps.scim.tokenByHash(hashToken(token));
  const workspace = found && (await deps.accounts.workspaceById(found.workspaceId));
  if (found === undefined || workspace === undefined) return undefined;
  if (!mayProvision(deps, workspace))
    throw refuse('forbidden', 'the operator of this hub does not let this workspace be provisioned any more');
  const nowMs = deps.clock.nowMs();
  if (nowMs - (found.usedAtMs ?? 0) >= NOTED_EVERY_MS)
    deps.scim.touchToken(workspace.id, nowMs).catch(deps.reportBug);
  return { workspace, token: found };
}
