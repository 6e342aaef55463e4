import type { AuditEntry, AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { PersonInGroups } from '@svc/core/team/group-roles';
import { isSameAddress } from '@svc/core/team/invite';
import type { Member } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import {
  mayHaveAccount,
  refuseOtherThanAddress,
  withOwnWorkspace,
  workspaceCreated,
} from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Clock, Random } from '../platform/world.ts';
import { workspacesFor } from '../teams/apply-groups.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { Identity, ProvedIdentity } from './identity-ports.ts';
import type { OpenIdProvider } from './openid-provider.ts';
import type { Identities } from './store/identity-store.ts';
import type { ProviderSessions } from './store/provider-session-store.ts';
import type { WorkspaceProviders } from './store/workspace-provider-store.ts';

export interface IdentityUseDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly identities: Identities;
  readonly random: Random;
  readonly teams: Teams;
  readonly signup: 'open' | 'invited';
  readonly operators: readonly string[];
  readonly groupWorkspaces: readonly string[];
  readonly defaultPlan: Plan;
  readonly providerName: string;
}

/**
 * The user of an identity. A new identity with a verified address gets a new account, where sign-up allows one. An account
 * with the same address is never entered: its owner links the identity from a session (decision 71, single sign-on).
 */
export async function userOfIdentity(
  deps: IdentityUseDeps,
  proved: ProvedIdentity,
  from: AuditOrigin,
): Promise<{ readonly id: string; readonly email: string }> {
  const known = await deps.identities.find(proved.issuer, proved.subject);
  if (known === undefined) return newUser(deps, proved, from);
  const user = await deps.accounts.userById(known.userId);
  if (user === undefined) throw new Error(`identity ${known.id} has no user`);
  await deps.identities.touch(known.id, proved.email, deps.clock.nowMs());
  return withOwnWorkspace(deps, user, from);
}

async function newUser(deps: IdentityUseDeps, proved: ProvedIdentity, from: AuditOrigin) {
  const { accounts, identities, clock, random, defaultPlan, providerName } = deps;
  const email = verifiedAddress(proved, providerName);
  const isAdmitted = (await mayHaveAccount(deps, email)) || (await hasRoleSomewhere(deps, proved));
  if (!isAdmitted)
    throw refuse('forbidden', `this hub accepts invited people only, and ${email} has no invitation`);
  const [id, workspaceId] = [random.uuid(), random.uuid()];
  const user = { id, email, workspaceId, plan: defaultPlan, nowMs: clock.nowMs() };
  const created = workspaceCreated(user, workspaceId, from);
  const entry = { ...created, details: { ...created.details, issuer: proved.issuer } };
  switch (await identities.createUser(user, newIdentity(deps, proved, id), entry)) {
    case 'stored':
      return user;
    case 'exists': {
      const entered = await enterAccount(deps, proved, { email, from });
      if (entered !== undefined) return entered;
      throw refuse(
        'forbidden',
        `an account with the address ${email} exists, and is not linked to ${providerName}. Sign in with a link by mail, then link ${providerName} in the settings`,
      );
    }
    case 'taken': {
      // Another request of the same person was first.
      const first = await identities.find(proved.issuer, proved.subject);
      const stored = first && (await accounts.userById(first.userId));
      if (stored === undefined) throw refuse('unavailable', 'the account was changed meanwhile: try again');
      return stored;
    }
  }
}

/**
 * The account that SCIM has made for the verified address, and that no person has entered yet. To enter it is as good as to make a new
 * one (decision 91, provisioning by SCIM).
 */
async function enterAccount(
  deps: IdentityUseDeps,
  proved: ProvedIdentity,
  { email, from }: { readonly email: string; readonly from: AuditOrigin },
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  const user = await deps.accounts.userByEmail(email);
  const own = (user && (await deps.accounts.workspacesOf(user.id))) ?? [];
  const home = own.find(({ role }) => role === 'owner');
  if (user === undefined || home === undefined) return undefined;
  const stored = await deps.identities.enter(newIdentity(deps, proved, user.id), {
    actor: { kind: 'member', id: user.id, name: user.email },
    from,
    workspaceId: home.workspace.id,
    atMs: deps.clock.nowMs(),
    action: 'account.identity_linked',
    target: { kind: 'account', id: user.id, name: user.email },
    details: { issuer: proved.issuer },
  });
  return stored === 'stored' ? user : undefined;
}

/** A rule of a workspace for the groups of a person is as good as an invitation. */
async function hasRoleSomewhere(deps: IdentityUseDeps, proved: ProvedIdentity): Promise<boolean> {
  const person = personInGroups(proved);
  return person !== undefined && (await workspacesFor(deps, person)).length > 0;
}

/** The groups and the verified address of a person; undefined: the groups are not known, so nothing changes. */
export function personInGroups({
  groups,
  email,
  isEmailVerified,
}: ProvedIdentity): PersonInGroups | undefined {
  return groups && { groups, verifiedEmail: isEmailVerified ? email : undefined };
}

/** Undefined: the provider left the groups out, so those of before stay. A provider that is asked for no groups proves none. */
export function groupsForGrants(
  { groups }: ProvedIdentity,
  { settings }: Pick<OpenIdProvider, 'settings'>,
): readonly string[] | undefined {
  return settings.groupsClaim === undefined ? [] : groups;
}

/** Links an identity to the signed-in user; both must have the same address, which the provider has verified. */
export async function linkIdentity(
  deps: IdentityUseDeps,
  proved: ProvedIdentity,
  { userId, email, workspaceId }: Member,
  by: AuditSource,
): Promise<void> {
  const { identities, clock, providerName } = deps;
  const known = await identities.find(proved.issuer, proved.subject);
  if (known?.userId === userId) return;
  const verified = known === undefined ? verifiedAddress(proved, providerName) : undefined;
  if (verified !== undefined && !isSameAddress(verified, email))
    throw refuse(
      'forbidden',
      `${providerName} knows you as ${verified}, and this account belongs to ${email}`,
    );
  const identity = newIdentity(deps, proved, userId);
  const entry: AuditEntry = {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'account.identity_linked',
    target: { kind: 'account', id: userId, name: email },
    details: { issuer: proved.issuer },
  };
  if (known !== undefined || (await identities.link(identity, entry)) === 'taken')
    throw refuse('forbidden', `this sign-in of ${providerName} is linked to another account`);
}

interface UnlinkDeps extends Pick<IdentityUseDeps, 'identities' | 'clock'> {
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly providerSessions: Pick<ProviderSessions, 'endingThoseOf'>;
  readonly workspaceProviders: WorkspaceProviders;
}

/**
 * Unlinks an identity, and ends the other sessions that came from it, with their streams: a person unlinks it because somebody else can
 * sign in with it. The person signs in with a link by mail from then on.
 */
export async function unlinkIdentity(
  { identities, workspaceProviders, providerSessions, clock, openStreams }: UnlinkDeps,
  id: string,
  {
    member: { userId, email, workspaceId },
    sessionId,
  }: { readonly member: Member; readonly sessionId: string },
  by: AuditSource,
): Promise<void> {
  const ofHub = (await identities.ofUser(userId)).find((one) => one.id === id);
  const ofWorkspace = (await workspaceProviders.identitiesOf(userId)).find((one) => one.id === id);
  const identity = ofHub ?? ofWorkspace;
  if (identity === undefined) throw noSuchIdentity();
  const nowMs = clock.nowMs();
  const store = ofHub === undefined ? workspaceProviders : identities;
  const sessions = { workspaceId: ofWorkspace?.workspaceId, exceptId: sessionId, nowMs };
  const isUnlinked = await store.unlink(identity, providerSessions.endingThoseOf(identity, sessions), {
    ...by,
    workspaceId,
    atMs: nowMs,
    action: 'account.identity_unlinked',
    target: { kind: 'account', id: userId, name: email },
    details: { issuer: identity.issuer },
  });
  if (!isUnlinked) throw noSuchIdentity();
  await openStreams.recheck();
}

function noSuchIdentity() {
  return refuse('not_found', 'there is no such linked sign-in');
}

/** Refuses with `forbidden` when the provider gives no address, or one that it has not verified. */
function verifiedAddress({ email, isEmailVerified }: ProvedIdentity, providerName: string): string {
  if (email === undefined || !isEmailVerified)
    throw refuse('forbidden', `${providerName} gives no verified email address for you`);
  refuseOtherThanAddress(email);
  return email;
}

function newIdentity(
  { random, clock }: Pick<IdentityUseDeps, 'random' | 'clock'>,
  { issuer, subject, email }: ProvedIdentity,
  userId: string,
): Identity {
  const nowMs = clock.nowMs();
  return { id: random.uuid(), issuer, subject, userId, email, createdAtMs: nowMs, usedAtMs: nowMs };
}
