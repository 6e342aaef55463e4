import { refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { type RecordGroupsDeps, recordGroups } from '../accounts/record-groups.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { applyGroups, applyGroupsIn, type GroupDeps } from '../teams/apply-groups.ts';
import type { ProvedIdentity } from './identity-ports.ts';
import type { OpenIdProvider } from './openid-provider.ts';
import type { ProviderSession, ProviderSessions, SessionToCheck } from './store/provider-session-store.ts';
import { groupsForGrants, personInGroups } from './use-identity.ts';
import type { WorkspaceSignIn } from './workspace-sign-in.ts';

/** How long the groups of a session count before the provider is asked again (decision 93, groups within a session). */
export const GROUPS_COUNT_MS = 15 * 60 * 1000;
/** The most sessions of one round; the next round takes the others. */
const MAX_SESSIONS_PER_CHECK = 100;

export type RecheckDeps = GroupDeps &
  RecordGroupsDeps & {
    readonly accounts: Pick<Accounts, 'userById' | 'workspaceById' | 'workspacesOf'>;
    readonly clock: Clock;
    readonly openStreams: Pick<OpenStreams, 'recheck'>;
    readonly providerSessions: ProviderSessions;
    readonly vault: Vault;
  };

interface RecheckParts {
  /** That of the hub; undefined: the operator named none. */
  readonly provider: OpenIdProvider | undefined;
  readonly workspaceSignIn: Pick<WorkspaceSignIn, 'clientOf'>;
  readonly onMail: (mail: OutgoingMail) => void;
  readonly onNoSeat: (workspaceId: string) => void;
  /** Called with an error that concerns one session; the others are checked all the same. */
  readonly onProblem: (error: unknown) => void;
}

/** What is stored with a session, so that its groups can be read again. Nothing, if they mean nothing or the provider gave no token. */
export function checkOf(
  { clock, vault }: Pick<RecheckDeps, 'clock' | 'vault'>,
  sessionId: string,
  { groups, refreshToken }: ProvedIdentity,
): Pick<ProviderSession, 'sealedRefresh' | 'checkedAtMs'> {
  if (groups === undefined || refreshToken === undefined)
    return { sealedRefresh: undefined, checkedAtMs: undefined };
  return { sealedRefresh: vault.seal(refreshToken, refreshTokenOf(sessionId)), checkedAtMs: clock.nowMs() };
}

/** The owner of the sealed refresh token of a session. */
function refreshTokenOf(sessionId: string) {
  return { workspaceId: '', kind: 'sign_in', id: sessionId } as const;
}

/**
 * Asks the providers for the groups of the people whose last answer is 15 minutes old, and changes their memberships and the grants
 * that count for them. A session that the
 * provider no longer knows ends. One hub asks for a session at a time.
 */
export async function recheckGroups(deps: RecheckDeps, parts: RecheckParts): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = await deps.providerSessions.toCheck(nowMs - GROUPS_COUNT_MS, nowMs, MAX_SESSIONS_PER_CHECK);
  for (const session of due)
    try {
      if (await deps.providerSessions.claimCheck(session, nowMs)) await recheck(deps, parts, session);
    } catch (error) {
      parts.onProblem(error);
    }
}

async function recheck(deps: RecheckDeps, parts: RecheckParts, session: SessionToCheck): Promise<void> {
  const { id, issuer, subject, userId, workspaceId, sealedRefresh } = session;
  const provider =
    workspaceId === undefined ? parts.provider : (await parts.workspaceSignIn.clientOf(workspaceId))?.client;
  // The provider has changed meanwhile: its session is for another one, and lasts a day.
  if (provider === undefined || !provider.isIssuer(issuer)) return;
  const token = deps.vault.open(sealedRefresh, refreshTokenOf(id));
  const proved = await provider.refresh(token, subject);
  if (proved === undefined) return endSession(deps, session, provider.settings.name);
  const { refreshToken } = proved;
  if (refreshToken !== undefined && refreshToken !== token)
    await deps.providerSessions.renewCheck(id, deps.vault.seal(refreshToken, refreshTokenOf(id)));
  const user = await deps.accounts.userById(userId);
  if (user === undefined) throw new Error(`session ${id} has no user`);
  await follow(deps, parts, { proved, user, workspaceId, provider });
}

interface Answered {
  readonly proved: ProvedIdentity;
  readonly user: { readonly id: string; readonly email: string };
  readonly workspaceId: string | undefined;
  readonly provider: OpenIdProvider;
}

async function follow(
  deps: RecheckDeps,
  { onMail, onNoSeat }: RecheckParts,
  { proved, user, workspaceId, provider }: Answered,
): Promise<void> {
  const person = personInGroups(proved);
  if (person === undefined) return;
  const actor = { kind: 'hub', id: undefined, name: provider.settings.name } as const;
  const by = { actor, from: { address: undefined, userAgent: undefined } };
  const signIn = { user, person, by };
  const workspace = workspaceId === undefined ? undefined : await deps.accounts.workspaceById(workspaceId);
  if (workspaceId !== undefined && workspace === undefined) throw refuse('not_found', 'no such workspace');
  const mails =
    workspace === undefined
      ? await applyGroups(deps, signIn, onNoSeat)
      : await applyGroupsIn(deps, workspace, signIn, onNoSeat);
  for (const mail of mails) onMail(mail);
  const groups = groupsForGrants(proved, provider);
  if (groups !== undefined) await recordGroups(deps, { user, groups, how: 'check', workspaceId, by });
}

/** As a sign-out at the provider does (decision 88, sign-out at the provider). */
async function endSession(
  { accounts, clock, openStreams, providerSessions }: RecheckDeps,
  { id, issuer, userId, workspaceId }: SessionToCheck,
  providerName: string,
): Promise<void> {
  const all = await accounts.workspacesOf(userId);
  const home =
    all.find(({ workspace }) => workspace.id === workspaceId) ??
    all.find(({ role }) => role === 'owner') ??
    all[0];
  const user = await accounts.userById(userId);
  const atMs = clock.nowMs();
  const entry = home && {
    actor: { kind: 'hub' as const, id: undefined, name: providerName },
    from: { address: undefined, userAgent: undefined },
    workspaceId: home.workspace.id,
    atMs,
    action: 'account.signed_out' as const,
    target: { kind: 'account' as const, id: userId, name: user?.email ?? userId },
    details: { of: 'session', issuer, sessions: 1 },
  };
  await providerSessions.end([id], atMs, entry);
  await openStreams.recheck();
}
