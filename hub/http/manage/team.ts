import { refuse } from '@svc/core/refusal';
import { ASSIGNABLE_ROLES, type Invite, inviteStatus } from '@svc/core/team/invite';
import type { Team, TeamMember } from '@svc/core/team/team';
import type { LinkTokens } from '../../engine/account/link-token.ts';
import type { OutgoingMail } from '../../engine/ports/accounts.ts';
import { changeRole, leaveTeam, removeMember } from '../../engine/team/change-member.ts';
import type { InTeam } from '../../engine/team/change-team.ts';
import { inviteMember, resendInvite, withdrawInvite } from '../../engine/team/invite-member.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';
import { limitSignIns } from './sign-in-limit.ts';

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
  /** A mail waits in the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Members, roles and invitations (reference 4.3). */
export function teamRoutes(context: HubContext, { tokens, onMail }: TeamParts): Routes {
  const ports = { ...context, tokens, hubUrl: context.settings.hubUrl };
  const inTeam = (request: Request, { member, workspace, userId }: Acting): InTeam => ({
    workspace,
    userId,
    by: sourceOf(context, request, member),
  });
  return {
    async listMembers({ acting, query }) {
      const { members } = await teamOf(context, acting);
      const items = members.flatMap((one) => describeMember(one) ?? []);
      return pageOf(items, ({ id }) => id, query);
    },
    // Before the rows with an id: the first one that fits answers.
    async leaveTeam({ request, acting }) {
      await leaveTeam(ports, inTeam(request, acting));
    },
    async changeMember({ request, acting, parameters: { id }, body: { role } }) {
      const { member, mail } = await changeRole(ports, inTeam(request, acting), id, role);
      if (mail !== undefined) onMail(mail);
      return { id, email: member.email, role, joined_at: time(member.joinedAtMs) };
    },
    async removeMember({ request, acting, parameters: { id } }) {
      const mail = await removeMember(ports, inTeam(request, acting), id);
      if (mail !== undefined) onMail(mail);
    },
    async inviteMember({ request, acting, body }) {
      limitSignIns(context, `invitation to ${body.email.toLowerCase()}`);
      const { invite, mail } = await inviteMember(ports, inTeam(request, acting), body);
      onMail(mail);
      return describeInvite(invite, context);
    },
    async resendInvite({ request, acting, parameters: { id } }) {
      limitSignIns(context, `invitation ${id}`);
      const { invite, mail } = await resendInvite(ports, inTeam(request, acting), id);
      onMail(mail);
      return describeInvite(invite, context);
    },
    async listInvites({ acting, query }) {
      const { invites } = await teamOf(context, acting);
      const items = invites.map((invite) => describeInvite(invite, context));
      return pageOf(items, ({ id }) => id, query);
    },
    async withdrawInvite({ request, acting, parameters: { id } }) {
      await withdrawInvite(ports, inTeam(request, acting), id);
    },
  };
}

async function teamOf({ teams }: HubContext, { workspace }: Acting): Promise<Team> {
  const team = await teams.load(workspace.id);
  if (team === undefined) throw refuse('not_found', 'there is no such workspace');
  return team;
}

/** Undefined for the owner, who is in no list of members (reference 2.6). */
function describeMember({ userId, email, role, joinedAtMs }: TeamMember) {
  const assigned = ASSIGNABLE_ROLES.find((one) => one === role);
  return assigned && { id: userId, email, role: assigned, joined_at: time(joinedAtMs) };
}

function describeInvite(invite: Invite, { clock }: HubContext) {
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
