import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { openOffer } from '@svc/core/team/decide-ownership';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { withOwnWorkspace } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { endedSessionCookie } from '../http/session-cookies.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Teams } from './store/team-store.ts';
import { acceptOwnership, endOffer, offerOwnership } from './transfer-ownership.ts';

export interface OwnershipRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly mutex: KeyedMutex;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly settings: Settings;
  readonly teams: Teams;
}

export interface OwnershipParts {
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

type Routes = Pick<Handlers, 'showOwnership' | 'offerOwnership' | 'endOwnershipOffer' | 'acceptOwnership'>;

/** The ownership of a workspace, and its transfer (decision 95, one owner). */
export function ownershipRoutes(deps: OwnershipRoutesDeps, { defaultPlan, onMail }: OwnershipParts): Routes {
  const { clock, settings } = deps;
  const inTeam = (request: Request, { member, workspace, userId }: Acting) => ({
    workspace,
    userId,
    by: sourceOf(deps, request, member),
  });
  const shown = async ({ workspace }: Acting) => {
    const team = await deps.teams.load(workspace.id);
    const owner = team?.members.find(({ role }) => role === 'owner');
    if (team === undefined || owner === undefined) throw refuse('not_found', 'there is no such workspace');
    const open = openOffer(team, clock.nowMs());
    return {
      owner: { id: owner.userId, email: owner.email },
      offer:
        open === undefined
          ? null
          : {
              member: { id: open.member.userId, email: open.member.email },
              offered_at: time(open.offer.offeredAtMs),
              expires_at: time(open.offer.expiresAtMs),
            },
    };
  };
  return {
    showOwnership: ({ acting }) => shown(acting),
    async offerOwnership({ request, acting, body: { member } }) {
      const ports = { ...deps, hubUrl: settings.hubUrl };
      const { mail } = await offerOwnership(ports, inTeam(request, acting), member);
      onMail(mail);
      return shown(acting);
    },
    async endOwnershipOffer({ request, acting }) {
      await endOffer(deps, inTeam(request, acting));
    },
    async acceptOwnership({ request, acting }) {
      const who = inTeam(request, acting);
      const { from, mails } = await acceptOwnership(deps, who);
      for (const mail of mails) onMail(mail);
      // Everyone owns a workspace. A hub that stops before this makes it at the next sign-in of the former owner.
      const former = { id: from.userId, email: from.email };
      await withOwnWorkspace({ ...deps, defaultPlan }, former, who.by.from);
      return reply(204, undefined, { 'Set-Cookie': endedSessionCookie(settings.hubUrl) });
    },
  };
}
