import { refuse } from '@svc/core/refusal';
import { isOver } from '../../engine/account/access-life.ts';
import { makeAccessToken } from '../../engine/account/make-tokens.ts';
import { ownMembership } from '../../engine/account/own-member.ts';
import { revokeAccessToken } from '../../engine/account/revoke-tokens.ts';
import { signOut, signOutEverywhere } from '../../engine/account/sign-out.ts';
import type { AccessToken } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import type { SignedIn } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { reply } from '../routes/reply.ts';
import { endedSessionCookie } from '../routes/session-cookie.ts';
import { time } from '../time.ts';

type Routes = Pick<
  Handlers,
  | 'signOut'
  | 'signOutEverywhere'
  | 'listSessions'
  | 'endSession'
  | 'makePersonalToken'
  | 'listPersonalTokens'
  | 'revokePersonalToken'
>;

const DAY_MS = 24 * 60 * 60 * 1000;
const TOKEN_MS = 30 * DAY_MS;
const LONGEST_TOKEN_MS = 366 * DAY_MS;

/** What somebody is signed in with, browsers and programs, and how that ends (decision 44). */
export function sessionRoutes(context: HubContext): Routes {
  const { clock, settings } = context;
  const signedOut = () =>
    reply(204, undefined, {
      'Set-Cookie': endedSessionCookie(settings.hubUrl),
      // What pages may have kept goes, too.
      'Clear-Site-Data': '"cache", "storage"',
    });
  return {
    async signOut({ request, user: { userId, access } }) {
      const { member } = await ownMembership(context, userId);
      await signOut(context, access, member, sourceOf(context, request, member));
      return signedOut();
    },
    async signOutEverywhere({ request, user: { userId } }) {
      const { member } = await ownMembership(context, userId);
      await signOutEverywhere(context, member, sourceOf(context, request, member));
      return signedOut();
    },
    async listSessions({ user, query }) {
      const sessions = await ofUser(context, user, 'session');
      return pageOf(
        sessions.map((one) => describeSession(one, user)),
        ({ id }) => id,
        query,
      );
    },
    async endSession({ request, user, parameters: { id } }) {
      const session = (await ofUser(context, user, 'session')).find((one) => one.id === id);
      if (session === undefined) throw refuse('not_found', 'there is no such session');
      const { member } = await ownMembership(context, user.userId);
      await signOut(context, session, member, sourceOf(context, request, member));
    },
    async makePersonalToken({ request, body, acting: { member, workspace } }) {
      const { name, expires_at: expiresAt } = body;
      const lifeMs = expiresAt === undefined ? TOKEN_MS : Date.parse(expiresAt) - clock.nowMs();
      if (!(lifeMs > 0 && lifeMs <= LONGEST_TOKEN_MS))
        throw refuse('invalid_argument', 'expires_at: a time within the next 366 days expected');
      const by = sourceOf(context, request, member);
      const { row, token } = await makeAccessToken(context, member, by, { lifeMs, name });
      return { ...describeToken(row, workspace.username), access_token: token };
    },
    async listPersonalTokens({ user, query }) {
      const tokens = await ofUser(context, user, 'personal');
      const workspaces = await context.accounts.workspacesOf(user.userId);
      const nameOf = (id: string | undefined) =>
        workspaces.find(({ workspace }) => workspace.id === id)?.workspace.username;
      const items = tokens.map((one) => describeToken(one, nameOf(one.workspaceId)));
      return pageOf(items, ({ id }) => id, query);
    },
    async revokePersonalToken({ request, user, parameters: { id } }) {
      const token = (await ofUser(context, user, 'personal')).find((one) => one.id === id);
      if (token === undefined) throw refuse('not_found', 'there is no such access token');
      const { member } = user.home;
      await revokeAccessToken(context, token, member, sourceOf(context, request, member));
    },
  };
}

/** Those that still work. */
async function ofUser(
  { credentials, clock }: HubContext,
  { userId }: SignedIn,
  kind: AccessToken['kind'],
): Promise<AccessToken[]> {
  const nowMs = clock.nowMs();
  const all = await credentials.accessTokensOf(userId, nowMs);
  return all.filter((one) => one.kind === kind && !isOver(one, nowMs));
}

function describeSession(session: AccessToken, { access }: SignedIn) {
  const { id, name, createdAtMs, usedAtMs, expiresAtMs } = session;
  return {
    id,
    browser: name ?? null,
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
