import { hash } from 'node:crypto';
import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/world.ts';
import { LOGOUT_KEPT_MS, type ProviderLogout } from './logout-token.ts';
import type { Identities } from './store/identity-store.ts';
import type { ProviderSessions } from './store/provider-session-store.ts';

export interface EndDeps {
  readonly accounts: Pick<Accounts, 'userById' | 'workspacesOf'>;
  readonly clock: Clock;
  readonly identities: Pick<Identities, 'isUsed' | 'useSignIn'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly providerSessions: ProviderSessions;
}

/** A sign-out that a provider reported. */
interface EndedAtProvider extends ProviderLogout {
  /** The workspace whose provider it is; undefined: that of the hub. */
  readonly workspaceId: string | undefined;
}

/**
 * Ends the sessions that a sign-out at the provider ends, and their streams on every hub (decision 88, sign-out at the provider).
 * Sessions from another provider go on, also where it has the same issuer. Refuses with `invalid_argument` when the token was used before.
 *
 * The token is marked as used at the end. So when the hub fails in between, the provider can send it again.
 */
export async function endProviderSessions(
  deps: EndDeps,
  logout: EndedAtProvider,
  by: AuditSource,
): Promise<void> {
  const { accounts, clock, identities, openStreams, providerSessions } = deps;
  const { issuer, jti, workspaceId } = logout;
  const ofWorkspace = workspaceId === undefined ? [] : [workspaceId];
  const tokenId = hash('sha256', JSON.stringify(['logout', issuer, jti, ...ofWorkspace]));
  if (await identities.isUsed(tokenId)) throw usedBefore();
  const atMs = clock.nowMs();
  const sessions = await providerSessions.endedBy(logout, atMs);
  for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    const logId = workspaceId ?? (await homeOf(accounts, userId));
    const user = await accounts.userById(userId);
    const entry =
      logId === undefined
        ? undefined
        : {
            ...by,
            workspaceId: logId,
            atMs,
            action: 'account.signed_out' as const,
            target: { kind: 'account' as const, id: userId, name: user?.email ?? userId },
            details: { of: 'session', issuer, sessions: ofUser.length },
          };
    await providerSessions.end(
      ofUser.map(({ id }) => id),
      atMs,
      entry,
    );
  }
  if (sessions.length > 0) await openStreams.recheck();
  if (!(await identities.useSignIn(tokenId, atMs + LOGOUT_KEPT_MS))) throw usedBefore();
}

/** The workspace whose log has the entries of a person: their own, else the first that they are in. */
async function homeOf(accounts: EndDeps['accounts'], userId: string): Promise<string | undefined> {
  const all = await accounts.workspacesOf(userId);
  return (all.find(({ role }) => role === 'owner') ?? all[0])?.workspace.id;
}

function usedBefore() {
  return refuse('invalid_argument', 'logout_token: this token was used before');
}
