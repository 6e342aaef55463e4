import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import { GROUP_SESSION_MS } from '../accounts/access-life.ts';
import type { AccessToken, Workspace } from '../accounts/account-ports.ts';
import {
  limitSignIns,
  limitSignInsFrom,
  type SignInLimitDeps,
  type SignInParts,
  withOwnWorkspace,
} from '../accounts/sign-in.ts';
import { pathReturnCookie } from '../accounts/sign-in-return.ts';
import { type SessionDeps, signInBrowser } from '../accounts/sign-in-routes.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import { usernameGone } from '../http/former-username.ts';
import type { Handlers } from '../http/handler.ts';
import { type Acting, signedIn } from '../http/identity.ts';
import { isFromOtherSite, refuseForeignForm } from '../http/same-site.ts';
import { time } from '../platform/http/json-response.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { html } from '../platform/pages/html.ts';
import { onPage } from '../platform/pages/page.ts';
import { applyGroupsIn, type GroupDeps } from '../teams/apply-groups.ts';
import type { ProvedIdentity, WorkspaceProvider } from './identity-ports.ts';
import { type ProviderDeps, removeProvider, setProvider, testProvider } from './manage-workspace-provider.ts';
import { endedPendingCookie, pendingCookie, takePending } from './pending-sign-in.ts';
import { checkOf } from './recheck-groups.ts';
import type { Identities } from './store/identity-store.ts';
import type { ProviderSessions } from './store/provider-session-store.ts';
import { groupsForGrants, personInGroups } from './use-identity.ts';
import {
  endedLinkCookie,
  linkCookie,
  linkWorkspaceIdentity,
  openSignInLink,
  useLink,
} from './workspace-link.ts';
import { choicePage, linkedPage, linkPage, startPage } from './workspace-sign-in-pages.ts';

export type WorkspaceSignInRoutesDeps = SessionDeps &
  SignInLimitDeps &
  ProviderDeps &
  GroupDeps & { readonly identities: Identities; readonly providerSessions: ProviderSessions };

interface WorkspaceSignInParts extends Pick<SignInParts, 'defaultPlan' | 'onMail'> {
  /** Called with the id of a workspace that a person could not join by a group, because it has no seat. */
  readonly onNoSeat: (workspaceId: string) => void;
}

type Routes = Pick<
  Handlers,
  | 'showSignInProvider'
  | 'setSignInProvider'
  | 'removeSignInProvider'
  | 'testSignInProvider'
  | 'chooseWorkspaceSignIn'
  | 'startWorkspaceSignIn'
  | 'finishWorkspaceSignIn'
  | 'showWorkspaceLink'
  | 'linkWorkspaceSignIn'
>;

const NOT_SIGNED_IN = 'You are not signed in';
const AGAIN = html`<p><a href="/login">Back to sign-in</a></p>`;

/** The sign-in provider of a workspace, and sign-in there (decision 92, providers of workspaces). */
export function workspaceSignInRoutes(deps: WorkspaceSignInRoutesDeps, parts: WorkspaceSignInParts): Routes {
  return { ...manageRoutes(deps), ...startRoutes(deps), ...returnRoutes(deps, parts) };
}

function manageRoutes(deps: WorkspaceSignInRoutesDeps) {
  const { workspaceProviders, workspaceSignIn } = deps;
  const shown = async ({ workspace: { id, username } }: Acting) => {
    const provider = await workspaceProviders.find(id);
    const url = username === undefined ? null : pathOf(deps, username);
    const known = username && pathOf(deps, provider?.callbackUsername ?? username);
    const rule = (await deps.accounts.workspaceById(id))?.signIn;
    return {
      provider: provider === undefined ? null : describe(provider, rule === 'required'),
      redirect_uri: known === undefined ? null : `${known}/callback`,
      logout_uri: known === undefined ? null : `${known}/logout`,
      sign_in_url: url,
    };
  };
  return {
    showSignInProvider: ({ acting }) => shown(acting),
    async setSignInProvider({ request, acting, body }) {
      const { issuer, client_id: clientId, client_secret: clientSecret, name, scopes } = body;
      const { groups_claim: claim, required: isRequired } = body;
      const wanted = {
        issuer,
        clientId,
        clientSecret,
        name,
        scopes,
        groupsClaim: claim ?? undefined,
        isRequired,
      };
      limitSignIns(deps, `provider of workspace:${acting.workspace.id}`);
      await setProvider(deps, acting.workspace, wanted, sourceOf(deps, request, acting.member));
      return shown(acting);
    },
    async removeSignInProvider({ request, acting }) {
      await removeProvider(deps, acting.workspace, sourceOf(deps, request, acting.member));
    },
    async testSignInProvider({ acting, body: { issuer } }) {
      limitSignIns(deps, `provider of workspace:${acting.workspace.id}`);
      const facts = await testProvider(workspaceSignIn, acting.workspace.id, issuer);
      return {
        issuer: facts.issuer,
        authorization_endpoint: facts.authorizationEndpoint,
        token_endpoint: facts.tokenEndpoint,
        userinfo_endpoint: facts.userinfoEndpoint ?? null,
        scopes: [...facts.scopes],
        warnings: [...facts.warnings],
      };
    },
  } satisfies Partial<Routes>;
}

function startRoutes(deps: WorkspaceSignInRoutesDeps) {
  const { hubUrl } = deps.settings;
  return {
    chooseWorkspaceSignIn: ({ request }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          const query = new URLSearchParams(requestTarget(request.url).query);
          const [name, to] = [query.get('name')?.trim().toLowerCase() ?? '', query.get('to') ?? ''];
          if (name === '') return choicePage(hubUrl, to);
          await refuseGone(deps, name);
          const { workspace, provider } = await found(deps, name);
          return startPage(workspace, provider.name, to);
        },
        AGAIN,
      ),
    startWorkspaceSignIn: ({ request, parameters: { username } }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          limitSignInsFrom(deps, request);
          await refuseGone(deps, username);
          const { workspace, provider, client } = await found(deps, username);
          const to = new URLSearchParams(requestTarget(request.url).query).get('to') ?? '';
          // The owner of a workspace chose its provider, which could sign a visitor of another site in as anybody.
          if (isFromOtherSite(request)) return startPage(workspace, provider.name, to);
          const { url, checks } = await client.begin(callbackOf(deps, workspace, provider));
          const response = seeOther(url);
          const pending = pendingCookie(deps, { ...checks, workspaceId: workspace.id });
          response.headers.append('Set-Cookie', pending);
          const wayBack = pathReturnCookie(hubUrl, to);
          if (wayBack !== undefined) response.headers.append('Set-Cookie', wayBack);
          return response;
        },
        AGAIN,
      ),
  } satisfies Partial<Routes>;
}

function returnRoutes(deps: WorkspaceSignInRoutesDeps, parts: WorkspaceSignInParts) {
  const { settings, workspaceProviders } = deps;
  const { hubUrl } = settings;
  const finish = async (request: Request, username: string): Promise<Response> => {
    const { workspace, provider, client, revision } = await found(deps, username);
    const callback = `${pathOf(deps, username)}/callback`;
    const pending = await takePending(deps, request, workspace.id);
    const returned = new URL(`${callback}?${requestTarget(request.url).query}`);
    const proved = await client.finish(returned, pending);
    const known = await workspaceProviders.identity(workspace.id, proved.issuer, proved.subject);
    if (known === undefined) {
      const response = seeOther(`/login/workspace/${workspace.username ?? username}/link`);
      response.headers.append('Set-Cookie', linkCookie(deps, workspace.id, proved));
      return response;
    }
    const user = await deps.accounts.userById(known.userId);
    if (user === undefined) throw new Error(`identity ${known.id} has no user`);
    await withOwnWorkspace({ ...deps, ...parts }, user, originOf(deps, request));
    await followGroups(deps, parts, request, { workspace, provider, user, proved });
    const member = await deps.accounts.member(workspace.id, user.id);
    if (member === undefined)
      throw refuse(
        'forbidden',
        `${user.email} is not a member of the workspace ${username}, and no group of theirs at ${provider.name} has a role there`,
      );
    await workspaceProviders.touch(known.id, proved.email, deps.clock.nowMs());
    const { issuer, subject, sid } = proved;
    const alongside = ({ id, userId, expiresAtMs }: AccessToken) => [
      workspaceProviders.staying({ workspaceId: workspace.id, revision }),
      workspaceProviders.stayingLinked(known),
      deps.providerSessions.adding({
        ...{ id, userId, expiresAtMs, issuer, subject, sid, workspaceId: workspace.id },
        ...checkOf(deps, id, proved),
      }),
    ];
    return signInBrowser(deps, request, {
      userId: user.id,
      memberOf: member,
      details: { issuer },
      lifeMs: GROUP_SESSION_MS,
      alongside,
      groups: groupsForGrants(proved, client),
    });
  };
  return {
    async finishWorkspaceSignIn({ request, parameters: { username } }) {
      const response = await onPage(NOT_SIGNED_IN, () => finish(request, username), AGAIN);
      response.headers.append('Set-Cookie', endedPendingCookie(hubUrl));
      return response;
    },
    showWorkspaceLink: ({ request, parameters: { username } }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          const { workspace, provider } = await found(deps, username);
          const { email } = openSignInLink(deps, request, workspace.id);
          const user = await signedIn(deps, request, ['session']);
          const signedInAs = user?.home.member.email;
          return linkPage({ hubUrl, username, providerName: provider.name, email, signedInAs });
        },
        AGAIN,
      ),
    linkWorkspaceSignIn: ({ request, parameters: { username } }) =>
      onPage(
        NOT_SIGNED_IN,
        async () => {
          // Another site cannot link a person of its own to the account of a visitor.
          refuseForeignForm(request, hubUrl);
          const { workspace, provider } = await found(deps, username);
          const user = await signedIn(deps, request, ['session']);
          if (user === undefined) throw refuse('unauthorized', 'sign in to your account first, then link');
          const proved = await useLink(deps, request, workspace.id);
          const { member } = user.home;
          const by = sourceOf(deps, request, member);
          await linkWorkspaceIdentity(deps, provider, { proved, member }, by);
          const response = linkedPage(username, provider.name);
          response.headers.append('Set-Cookie', endedLinkCookie(hubUrl));
          return response;
        },
        AGAIN,
      ),
  } satisfies Partial<Routes>;
}

interface GroupsOfSignIn {
  readonly workspace: Workspace;
  readonly provider: WorkspaceProvider;
  readonly user: { readonly id: string; readonly email: string };
  readonly proved: ProvedIdentity;
}

/** Runs before the session is made, so a person who has left a group gets no session with its rights. */
async function followGroups(
  deps: WorkspaceSignInRoutesDeps,
  { onMail, onNoSeat }: WorkspaceSignInParts,
  request: Request,
  { workspace, provider, user, proved }: GroupsOfSignIn,
): Promise<void> {
  const person = personInGroups(proved);
  if (person === undefined) return;
  const actor = { kind: 'hub', id: undefined, name: provider.name } as const;
  const by = { actor, from: originOf(deps, request) };
  for (const mail of await applyGroupsIn(deps, workspace, { user, person, by }, onNoSeat)) onMail(mail);
}

/** Refuses with `username_gone` where the owner ended the URLs with this former username: a sign-in page would show the present one. */
async function refuseGone({ lookups }: Pick<WorkspaceSignInRoutesDeps, 'lookups'>, username: string) {
  if ((await lookups.formerUsername(username))?.oldUrls === 'gone') throw usernameGone();
}

/** The workspace with its provider. Refuses with `not_found` for one without, and for one that does not exist. */
async function found(deps: WorkspaceSignInRoutesDeps, username: string) {
  const workspace = await deps.accounts.workspaceByAnyUsername(username);
  const provider = workspace && (await deps.workspaceProviders.find(workspace.id));
  const remembered = provider && (await deps.workspaceSignIn.clientOf(provider.workspaceId));
  if (workspace === undefined || provider === undefined || remembered === undefined)
    throw refuse('not_found', 'there is no such workspace, or it has no sign-in provider of its own');
  return { workspace, provider, ...remembered };
}

/** The address of the sign-in. The return has its own for each workspace, so that no provider gets the code of another. */
function pathOf({ settings }: Pick<WorkspaceSignInRoutesDeps, 'settings'>, username: string): string {
  return `${settings.hubUrl}/login/workspace/${username}`;
}

/** The redirect address that the provider knows. A change of the username keeps it until the owner saves another issuer or client. */
function callbackOf(
  deps: Pick<WorkspaceSignInRoutesDeps, 'settings'>,
  { username = '' }: Workspace,
  { callbackUsername = username }: WorkspaceProvider,
): string {
  return `${pathOf(deps, callbackUsername)}/callback`;
}

function describe(provider: WorkspaceProvider, isRequired: boolean) {
  const { issuer, clientId, sealedSecret, name, scopes, groupsClaim, updatedAtMs } = provider;
  return {
    issuer,
    client_id: clientId,
    has_secret: sealedSecret !== undefined,
    name,
    scopes,
    groups_claim: groupsClaim ?? null,
    required: isRequired,
    updated_at: time(updatedAtMs),
  };
}
