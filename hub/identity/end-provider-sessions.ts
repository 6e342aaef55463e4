import { hash } from 'node:crypto';
import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/world.ts';
import { LOGOUT_KEPT_MS, type ProviderLogout } from './logout-token.ts';
import type { Identities } from './store/identity-store.ts';

interface EndDeps {
  readonly accounts: Pick<Accounts, 'userById' | 'workspacesOf'>;
  readonly clock: Clock;
  readonly identities: Identities;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
}

/**
 * Ends the sessions that a sign-out at the provider ends, and their streams on every hub (decision 88, sign-out at the provider).
 * Refuses with `invalid_argument` when the token was used before.
 *
 * The token is marked as used at the end. So when the hub fails in between, the provider can send it again.
 */
export async function endProviderSessions(
  deps: EndDeps,
  logout: ProviderLogout,
  by: AuditSource,
): Promise<void> {
  const { accounts, clock, identities, openStreams } = deps;
  const { issuer, jti } = logout;
  const tokenId = hash('sha256', JSON.stringify(['logout', issuer, jti]));
  if (await identities.isUsed(tokenId)) throw usedBefore();
  const atMs = clock.nowMs();
  const sessions = await identities.sessionsOf(logout, atMs);
  for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    const all = await accounts.workspacesOf(userId);
    const home = all.find(({ role }) => role === 'owner') ?? all[0];
    const user = await accounts.userById(userId);
    const entry = home && {
      ...by,
      workspaceId: home.workspace.id,
      atMs,
      action: 'account.signed_out' as const,
      target: { kind: 'account' as const, id: userId, name: user?.email ?? userId },
      details: { of: 'session', issuer, sessions: ofUser.length },
    };
    await identities.endSessions(
      ofUser.map(({ id }) => id),
      atMs,
      entry,
    );
  }
  if (sessions.length > 0) await openStreams.recheck();
  if (!(await identities.useSignIn(tokenId, atMs + LOGOUT_KEPT_MS))) throw usedBefore();
}

function usedBefore() {
  return refuse('invalid_argument', 'logout_token: this token was used before');
}
