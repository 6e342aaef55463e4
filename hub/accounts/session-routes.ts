import { refuse } from '@svc/core/refusal';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { boundSessionOf, type SignedIn } from '../http/identity.ts';
import { endedSessionCookie } from '../http/session-cookies.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import { isOver } from './access-life.ts';
import type { AccessToken } from './account-ports.ts';
import { makeAccessToken } from './make-tokens.ts';
import type { OpenStreams } from './open-streams.ts';
import { ownMembership } from './own-member.ts';
import { endOtherSessions, revokeAccessToken, signOut, signOutEverywhere } from './revoke-tokens.ts';
import type { Accounts } from './store/account-store.ts';
import type { Credentials } from './store/credentials.ts';

export interface SessionRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly settings: Settings;
}

type Routes = Pick<
  Handlers,
  | 'signOut'
  | 'signOutEverywhere'
  | 'listSessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'makePersonalToken'
  | 'listPersonalTokens'
  | 'revokePersonalToken'
>;

const DAY_MS = 24 * 60 * 60 * 1000;
const TOKEN_MS = 30 * DAY_MS;
const LONGEST_TOKEN_MS = 366 * DAY_MS;

/** The sessions and access tokens of a user, and how to end them (decision 44, sign-in). */
export function sessionRoutes(deps: SessionRoutesDeps): Routes {
  const { clock, settings } = deps;
  const signedOut = () =>
    reply(204, undefined, {
      'Set-Cookie': endedSessionCookie(settings.hubUrl),
      // Clears data that pages may have cached.
      'Clear-Site-Data': '"cache", "storage"',
    });
  return {
    async signOut({ request, user: { userId, access } }) {
      const { member } = await ownMembership(deps, userId);
      await signOut(deps, access, member, sourceOf(deps, request, member));
      return signedOut();
    },
    async signOutEverywhere({ request, user: { userId } }) {
      const { member } = await ownMembership(deps, userId);
      await signOutEverywhere(deps, member, sourceOf(deps, request, member));
      return signedOut();
    },
    async listSessions({ user, query }) {
      const sessions = await ofUser(deps, user, 'session');
      return pageOf(
        sessions.map((one) => describeSession(one, user)),
        ({ id }) => id,
        query,
      );
    },
    async endSession({ request, user, parameters: { id } }) {
      const session = (await ofUser(deps, user, 'session')).find((one) => one.id === id);
      if (session === undefined) throw refuse('not_found', 'there is no such session');
      const { member } = await ownMembership(deps, user.userId);
      await signOut(deps, session, member, sourceOf(deps, request, member));
    },
    async endOtherSessions({ request, user: { userId, access } }) {
      const { member } = await ownMembership(deps, userId);
      await endOtherSessions(deps, access, member, sourceOf(deps, request, member));
    },
    async makePersonalToken({ request, body, acting: { access, member, workspace } }) {
      const { name, expires_at: expiresAt } = body;
      const lifeMs = expiresAt === undefined ? TOKEN_MS : Date.parse(expiresAt) - clock.nowMs();
      if (!(lifeMs > 0 && lifeMs <= LONGEST_TOKEN_MS))
        throw refuse('invalid_argument', 'expires_at: a time within the next 366 days expected');
      const by = sourceOf(deps, request, member);
      const { row, token } = await makeAccessToken(deps, member, by, {
        lifeMs,
        name,
        boundSessionId: boundSessionOf({ access }),
      });
      return { ...describeToken(row, workspace.username), access_token: token };
    },
    async listPersonalTokens({ user, query }) {
      const tokens = await ofUser(deps, user, 'personal');
      const workspaces = await deps.accounts.workspacesOf(user.userId);
      const nameOf = (id: string | undefined) =>
        workspaces.find(({ workspace }) => workspace.id === id)?.workspace.username;
      const items = tokens.map((one) => describeToken(one, nameOf(one.workspaceId)));
      return pageOf(items, ({ id }) => id, query);
    },
    async revokePersonalToken({ request, user, parameters: { id } }) {
      const token = (await ofUser(deps, user, 'personal')).find((one) => one.id === id);
      if (token === undefined) throw refuse('not_found', 'there is no such access token');
      const { member } = user.home;
      await revokeAccessToken(deps, token, member, sourceOf(deps, request, member));
    },
  };
}

/** The sessions that are still valid. */
async function ofUser(
  { credentials, clock }: SessionRoutesDeps,
  { userId }: SignedIn,
  kind: AccessToken['kind'],
): Promise<AccessToken[]> {
  const nowMs = clock.nowMs();
  const all = await credentials.accessTokensOf(userId, nowMs);
  return all.filter((one) => one.kind === kind && !isOver(one, nowMs));
}

function describeSession(session: AccessToken, { access }: SignedIn) {
  const { id, name, address, createdAtMs, usedAtMs, expiresAtMs } = session;
  return {
    id,
    browser: name ?? null,
    address: address ?? null,
    created_at: time(createdAtMs),
    last_used_at: time(usedAtMs ?? createdAtMs),
    expires_at: time(expiresAtMs),
    current: id === access.id,
  };
}

function describeToken(token: AccessToken, workspace: string | undefined) {
  const { id, name, last4, createdAtMs, usedAtMs, expiresAtMs } = token;
  return {
    id,
    name: name ?? null,
    last4,
    workspace: workspace ?? null,
    created_at: time(createdAtMs),
    last_used_at: time(usedAtMs),
    expires_at: time(expiresAtMs),
  };
}
