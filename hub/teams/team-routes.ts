import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { mayMapGroups } from '@svc/core/team/group-roles';
import { ASSIGNABLE_ROLES, type Invite, inviteStatus } from '@svc/core/team/invite';
import type { Team, TeamMember } from '@svc/core/team/team';
import { may } from '@svc/core/workspace/permissions';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { limitSignIns, type SignInLimitDeps } from '../accounts/sign-in.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { OidcSettings } from '../platform/oidc-settings.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Clock, Random } from '../platform/world.ts';
import { type GroupDeps, setGroupRoles } from './apply-groups.ts';
import { changeRole, leaveTeam, removeMember } from './change-member.ts';
import type { InTeam } from './change-team.ts';
import { inviteMember, resendInvite, withdrawInvite } from './invite-member.ts';
import type { Teams } from './store/team-store.ts';

export interface TeamRoutesDeps extends SignInLimitDeps {
  readonly clock: Clock;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly teams: Teams;
  readonly mutex: KeyedMutex;
}

type Routes = Pick<
  Handlers,
  | 'listMembers'
  | 'leaveTeam'
  | 'changeMember'
  | 'removeMember'
  | 'inviteMember'
  | 'resendInvite'
  | 'listInvites'
  | 'withdrawInvite'
>;

export interface TeamParts {
  readonly tokens: LinkTokens;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Members, roles and invitations (reference 4.3). */
export function teamRoutes(deps: TeamRoutesDeps, { tokens, onMail }: TeamParts): Routes {
  const ports = { ...deps, tokens, hubUrl: deps.settings.hubUrl };
  const inTeam = (request: Request, { member, workspace, userId }: Acting): InTeam => ({
    workspace,
    userId,
    by: sourceOf(deps, request, member),
  });
  return {
    async listMembers({ acting, query }) {
      const { members } = await teamOf(deps, acting);
      const showsFactor = may(acting.member.role, 'member.invite');
      const items = members.flatMap((one) => describeMember(one, showsFactor) ?? []);
      const owner = members.find(({ role }) => role === 'owner');
      if (owner === undefined) throw new Error('a workspace has no owner');
      return {
        ...pageOf(items, ({ id }) => id, query),
        owner: { id: owner.userId, email: owner.email, second_factor: factorOf(owner, showsFactor) },
      };
    },
    // Before the rows with an id, because the first matching row wins.
    async leaveTeam({ request, acting }) {
      await leaveTeam(ports, inTeam(request, acting));
    },
    async changeMember({ request, acting, parameters: { id }, body: { role } }) {
      const { member, mail } = await changeRole(ports, inTeam(request, acting), id, role);
      if (mail !== undefined) onMail(mail);
      const { email, joinedAtMs, viaGroup } = member;
      const facts = { joined_at: time(joinedAtMs), second_factor: factorOf(member, true) };
      return { id, email, role, ...facts, group: viaGroup ?? null };
    },
    async removeMember({ request, acting, parameters: { id } }) {
      const mail = await removeMember(ports, inTeam(request, acting), id);
      if (mail !== undefined) onMail(mail);
    },
    async inviteMember({ request, acting, body }) {
      limitSignIns(deps, `invitation to ${body.email.toLowerCase()}`);
      const { invite, mail } = await inviteMember(ports, inTeam(request, acting), body);
      onMail(mail);
      return describeInvite(invite, deps);
    },
    async resendInvite({ request, acting, parameters: { id } }) {
      limitSignIns(deps, `invitation ${id}`);
      const { invite, mail } = await resendInvite(ports, inTeam(request, acting), id);
      onMail(mail);
      return describeInvite(invite, deps);
    },
    async listInvites({ acting, query }) {
      const { invites } = await teamOf(deps, acting);
      const items = invites.map((invite) => describeInvite(invite, deps));
      return pageOf(items, ({ id }) => id, query);
    },
    async withdrawInvite({ request, acting, parameters: { id } }) {
      await withdrawInvite(ports, inTeam(request, acting), id);
    },
  };
}

async function teamOf({ teams }: TeamRoutesDeps, { workspace }: Acting): Promise<Team> {
  const team = await teams.load(workspace.id);
  if (team === undefined) throw refuse('not_found', 'there is no such workspace');
  return team;
}

/** Undefined for the owner, who is not in the list of members (reference 2.6). */
function describeMember(member: TeamMember, showsFactor: boolean) {
  const { userId, email, role, joinedAtMs, viaGroup } = member;
  const assigned = ASSIGNABLE_ROLES.find((one) => one === role);
  if (assigned === undefined) return undefined;
  const facts = { joined_at: time(joinedAtMs), second_factor: factorOf(member, showsFactor) };
  return { id: userId, email, role: assigned, ...facts, group: viaGroup ?? null };
}

/** Only people who manage members may see whose account is easier to enter. */
function factorOf({ hasSecondFactor = false }: TeamMember, isShown: boolean): boolean | null {
  return isShown ? hasSecondFactor : null;
}

function describeInvite(invite: Invite, { clock }: TeamRoutesDeps) {
  const { id, email, role, createdAtMs, expiresAtMs } = invite;
  return {
    id,
    email,
    role,
    status: inviteStatus(invite, clock.nowMs()),
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
  };
}

interface GroupRoutesDeps extends GroupDeps {
  readonly addressOf: (request: Request) => string;
}

interface GroupParts {
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
  /** Undefined: the hub has no sign-in provider. */
  readonly provider: OidcSettings | undefined;
  /** The provider of a workspace; undefined: it has none of its own. */
  readonly providerOf: (
    workspaceId: string,
  ) => Promise<{ readonly name: string; readonly groupsClaim: string | undefined } | undefined>;
  /** Gives people whom a provider sends by SCIM the roles of the new rules. */
  readonly assignRoles: (workspace: Acting['workspace'], by: AuditSource) => Promise<void>;
}

/** The roles of groups at the sign-in provider (decision 78, roles by groups). */
export function groupRoutes(
  deps: GroupRoutesDeps,
  { onMail, provider, providerOf, assignRoles }: GroupParts,
): Pick<Handlers, 'showGroupRoles' | 'setGroupRoles'> {
  const { groupWorkspaces, scimWorkspaces } = deps.settings;
  const shown = async ({ workspace }: Acting) => {
    const team = await deps.teams.load(workspace.id);
    const own = workspace.signIn && (await providerOf(workspace.id));
    const isMapped = own !== undefined || mayMapGroups(groupWorkspaces, workspace);
    const { name = null, groupsClaim = null } = own ?? provider ?? {};
    return {
      provider: name,
      by_scim: mayMapGroups(scimWorkspaces, workspace),
      claim: isMapped ? groupsClaim : null,
      groups: (team?.groupRoles ?? []).map((rule) => ({ ...rule, domains: [...rule.domains] })),
    };
  };
  return {
    showGroupRoles: ({ acting }) => shown(acting),
    async setGroupRoles({ request, acting, body: { groups } }) {
      const { workspace, userId, member } = acting;
      const who = { workspace, userId, by: sourceOf(deps, request, member) };
      for (const mail of await setGroupRoles(deps, who, groups)) onMail(mail);
      await assignRoles(workspace, who.by);
      return shown(acting);
    },
  };
}
