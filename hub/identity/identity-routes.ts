import { requestTarget } from '@svc/core/api/request-target';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { GROUP_SESSION_MS } from '../accounts/access-life.ts';
import type { AccessToken } from '../accounts/account-ports.ts';
import { recordGroups } from '../accounts/record-groups.ts';
import { limitSignInsFrom, type SignInLimitDeps } from '../accounts/sign-in.ts';
import { pathReturnCookie } from '../accounts/sign-in-return.ts';
import { type SessionDeps, signInBrowser } from '../accounts/sign-in-routes.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { signedIn } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import { seeOther } from '../platform/http/see-other.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { pageOf } from '../platform/page-of-items.ts';
import { html } from '../platform/pages/html.ts';
import { onPage } from '../platform/pages/page.ts';
import type { Vault } from '../platform/world.ts';
import { applyGroups, type GroupSignIn } from '../teams/apply-groups.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { Identity, ProvedIdentity } from './identity-ports.ts';
import type { OpenIdProvider } from './openid-provider.ts';
import { endedPendingCookie, pendingCookie, takePending } from './pending-sign-in.ts';
import { checkOf } from './recheck-groups.ts';
import type { Identities } from './store/identity-store.ts';
import type { ProviderSessions } from './store/provider-session-store.ts';
import type { WorkspaceProviders } from './store/workspace-provider-store.ts';
import {
  groupsForGrants,
  linkIdentity,
  personInGroups,
  unlinkIdentity,
  userOfIdentity,
} from './use-identity.ts';

interface IdentityRoutesDeps extends SessionDeps, SignInLimitDeps {
  readonly identities: Identities;
  readonly mutex: KeyedMutex;
  readonly providerSessions: ProviderSessions;
  readonly teams: Teams;
  readonly vault: Vault;
  readonly workspaceProviders: WorkspaceProviders;
}

interface IdentityParts {
  /** Undefined: the operator named none. */
  readonly provider: OpenIdProvider | undefined;
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
  /** Called with the id of a workspace that a person could not join by a group, because it has no seat. */
  readonly onNoSeat: (workspaceId: string) => void;
}

type Routes = Pick<
  Handlers,
  'startProviderSignIn' | 'finishProviderSignIn' | 'listIdentities' | 'linkIdentity' | 'unlinkIdentity'
>;

const NOT_SIGNED_IN = 'You are not signed in';
const AGAIN = html`<p><a href="/login">Back to sign-in</a></p>`;

/** Sign-in at an OpenID provider, and the identities that are linked to an account (decision 71, single sign-on). */
export function identityRoutes(deps: IdentityRoutesDeps, parts: IdentityParts): Routes {
  const { provider, defaultPlan, onMail, onNoSeat } = parts;
  const { settings } = deps;
  const { hubUrl } = settings;
  const redirectUri = `${hubUrl}/login/oidc/callback`;
  const required = () => {
    if (provider === undefined) throw refuse('not_found', 'this hub has no sign-in provider');
    return provider;
  };
  const usePorts = () => ({ ...deps, ...settings, defaultPlan, providerName: required().settings.name });
  const begin = async (linkTo: string | undefined) => {
    const { url, checks } = await required().begin(redirectUri);
    return { url, cookie: pendingCookie(deps, { ...checks, linkTo }) };
  };
  // Runs before the session is made, so a person who has left a group gets no session with its rights.
  const followGroups = async (request: Request, user: GroupSignIn['user'], proved: ProvedIdentity) => {
    const person = personInGroups(proved);
    if (person === undefined) return;
    const actor = { kind: 'hub', id: undefined, name: required().settings.name } as const;
    const signIn = { user, person, by: { actor, from: originOf(deps, request) } };
    for (const mail of await applyGroups(deps, signIn, onNoSeat)) onMail(mail);
  };
  // Only the start counts as an attempt: the return needs its sealed cookie, which works once.
  const finish = async (request: Request): Promise<Response> => {
    const used = required();
    const pending = await takePending(deps, request, undefined);
    const returned = new URL(`${redirectUri}?${requestTarget(request.url).query}`);
    const proved = await used.finish(returned, pending);
    if (pending.linkTo === undefined) {
      const user = await userOfIdentity(usePorts(), proved, originOf(deps, request));
      await followGroups(request, user, proved);
      const lifeMs = proved.groups && GROUP_SESSION_MS;
      const { issuer, subject, sid } = proved;
      const alongside = ({ id, userId, expiresAtMs }: AccessToken) => [
        deps.identities.stayingLinked({ issuer, subject, userId }),
        deps.providerSessions.adding({
          ...{ id, userId, expiresAtMs, issuer, subject, sid, workspaceId: undefined },
          ...checkOf(deps, id, proved),
        }),
      ];
      const groups = groupsForGrants(proved, used);
      return signInBrowser(deps, request, {
        userId: user.id,
        details: { issuer },
        lifeMs,
        alongside,
        groups,
      });
    }
    const user = await signedIn(deps, request, ['session']);
    if (user?.userId !== pending.linkTo)
      throw refuse(
        'unauthorized',
        'you are no longer signed in as the person who wanted to link this sign-in',
      );
    const { member } = user.home;
    const by = sourceOf(deps, request, member);
    await linkIdentity(usePorts(), proved, member, by);
    const linked = { id: member.userId, email: member.email };
    await followGroups(request, linked, proved);
    const groups = groupsForGrants(proved, used);
    if (groups !== undefined) await recordGroups(deps, { user: linked, groups, how: 'sign_in', by });
    return seeOther('/dashboard/settings');
  };
  return {
    startProviderSignIn: ({ request }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          limitSignInsFrom(deps, request);
          const { url, cookie } = await begin(undefined);
          const to = new URLSearchParams(requestTarget(request.url).query).get('to') ?? '';
          const response = seeOther(url);
          response.headers.append('Set-Cookie', cookie);
          const wayBack = pathReturnCookie(hubUrl, to);
          if (wayBack !== undefined) response.headers.append('Set-Cookie', wayBack);
          return response;
        },
        AGAIN,
      ),
    async finishProviderSignIn({ request }) {
      const response = await onPage(NOT_SIGNED_IN, () => finish(request), AGAIN);
      response.headers.append('Set-Cookie', endedPendingCookie(hubUrl));
      return response;
    },
    async listIdentities({ user, query }) {
      const ofHub = await deps.identities.ofUser(user.userId);
      const ofWorkspaces = await deps.workspaceProviders.identitiesOf(user.userId);
      const items = [
        ...ofHub.map((identity) => describeIdentity(identity, null)),
        ...ofWorkspaces.map(({ workspace, ...identity }) => describeIdentity(identity, workspace ?? null)),
      ];
      const page = pageOf(
        items.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        ({ id }) => id,
        query,
      );
      return { ...page, provider: settings.providerName ?? null };
    },
    async linkIdentity({ user }) {
      const { url, cookie } = await begin(user.userId);
      return reply(200, { url }, { 'Set-Cookie': cookie });
    },
    async unlinkIdentity({ request, user: { home, access }, parameters: { id } }) {
      const { member } = home;
      const by = sourceOf(deps, request, member);
      await unlinkIdentity(deps, id, { member, sessionId: access.id }, by);
      const user = { id: member.userId, email: member.email };
      await recordGroups(deps, { user, groups: [], how: 'unlinked', by });
    },
  };
}

function describeIdentity({ id, issuer, email, createdAtMs, usedAtMs }: Identity, workspace: string | null) {
  const times = { created_at: time(createdAtMs), last_used_at: time(usedAtMs) };
  return { id, issuer, email: email ?? null, workspace, ...times };
}
