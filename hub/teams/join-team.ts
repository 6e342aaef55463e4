import type { AuditOrigin } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { decideJoin, refuseClosedInvite } from '@svc/core/team/decide-join';
import type { Invite } from '@svc/core/team/invite';
import type { Workspace } from '../accounts/account-ports.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/world.ts';
import { changeTeam, type TeamDeps, teamEntry } from './change-team.ts';
import type { Teams } from './store/team-store.ts';

type FindDeps = { readonly teams: Teams; readonly accounts: Accounts; readonly clock: Clock } & {
  readonly tokens: LinkTokens;
};

/** An invitation as shown to the invited person (reference 3.2). */
export interface ShownInvite {
  readonly invite: Invite;
  readonly workspace: Workspace;
  readonly ownerEmail: string;
  readonly inviterEmail: string;
  /** The invited address has an account, so only a signed-in person may use the link. */
  readonly hasAccount: boolean;
}

/** Checks the invitation of a link without using it; refuses an unknown, used, withdrawn or expired one. */
export async function findInvite(deps: FindDeps, token: string): Promise<ShownInvite> {
  const { accounts, clock } = deps;
  const invite = await inviteOfToken(deps, token);
  refuseClosedInvite(invite, clock.nowMs());
  const workspace = await accounts.workspaceById(invite.workspaceId);
  if (workspace === undefined) throw noSuchLink();
  const owner = await accounts.userById(workspace.ownerId);
  const inviter = await accounts.userById(invite.invitedBy);
  const invited = await accounts.userByEmail(invite.email);
  return {
    invite,
    workspace,
    ownerEmail: owner?.email ?? '',
    inviterEmail: inviter?.email ?? '',
    hasAccount: invited !== undefined,
  };
}

/** Makes the user a member with the role of the invitation, once. */
export async function joinTeam(
  deps: TeamDeps & FindDeps,
  token: string,
  user: { readonly id: string; readonly email: string },
  from: AuditOrigin,
): Promise<ShownInvite> {
  const shown = await findInvite(deps, token);
  const by = { actor: { kind: 'member', id: user.id, name: user.email }, from } as const;
  await changeTeam(deps, shown.workspace.id, (team) => {
    const atMs = deps.clock.nowMs();
    const invite = decideJoin(team, shown.invite, user, atMs);
    const entry = teamEntry({ workspace: shown.workspace, by }, atMs, {
      action: 'member.joined',
      target: { kind: 'member', id: user.id, name: user.email },
      details: { role: invite.role, invited_by: shown.inviterEmail },
    });
    return { store: { change: { kind: 'joined', invite, userId: user.id, atMs }, entry } };
  });
  return shown;
}

async function inviteOfToken({ teams, tokens }: FindDeps, token: string): Promise<Invite> {
  const id = tokens.idIn(token);
  const invite = id === undefined ? undefined : await teams.invite(id);
  if (invite === undefined) throw noSuchLink();
  if (tokens.read('join', token, invite.generation) === id) return invite;
  for (let older = 0; older < invite.generation; older += 1)
    if (tokens.read('join', token, older) === id)
      throw refuse('link_expired', 'this invitation was sent again: the link in the newest mail works');
  throw noSuchLink();
}

function noSuchLink() {
  return refuse('not_found', 'there is no such link');
}
