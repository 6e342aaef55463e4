import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditSource, AuditTarget } from '@svc/core/audit/entry';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { decideProvisioning, type ProvisioningDecision } from '@svc/core/scim/decide-provisioning';
import { refuseScim } from '@svc/core/scim/scim-error';
import { emailOf, type ScimUser } from '@svc/core/scim/user';
import type { AssignableRole } from '@svc/core/team/invite';
import type { Team } from '@svc/core/team/team';
import type { Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { workspaceCreated } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type Decided, type TeamDeps, teamEntry } from '../teams/change-team.ts';
import type { TeamChange } from '../teams/store/team-change.ts';
import { removedMail, roleMail, teamName } from '../teams/team-mails.ts';
import type { KnownUser, ScimDirectory } from './store/scim-store.ts';

export interface ProvisionDeps extends TeamDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly random: Random;
  readonly scim: ScimDirectory;
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** The provider of a workspace. */
export interface Provider {
  readonly workspace: Workspace;
  readonly by: AuditSource;
  readonly defaultRole: AssignableRole;
}

/** A user, and whether they are a member. */
export interface UserWithState {
  readonly user: KnownUser;
  readonly isActive: boolean;
}

/** Adds a user. An active one becomes a member. Refuses with `uniqueness` when the name or the account has a user. */
export async function addUser(deps: ProvisionDeps, who: Provider, wanted: ScimUser): Promise<UserWithState> {
  return saveUser(deps, who, deps.random.uuid(), () => wanted);
}

/** Changes a user: they join, get another role, or leave with all effects of a removal (reference 3.4). */
export async function changeUser(
  deps: ProvisionDeps,
  who: Provider,
  id: string,
  change: (before: ScimUser) => ScimUser,
): Promise<UserWithState> {
  return saveUser(deps, who, id, (before) => {
    if (before === undefined) throw noSuchUser();
    return change(before);
  });
}

/** Removes a user and their membership. */
export async function removeUser(deps: ProvisionDeps, who: Provider, id: string): Promise<void> {
  const { scim, clock } = deps;
  const { mail, hasLeft } = await changeTeam(deps, who.workspace.id, async (team) => {
    const user = await scim.user(who.workspace.id, id);
    if (user === undefined) throw noSuchUser();
    const decision = decideProvisioning(team, { ...personOf(who, user), isActive: false }, clock.nowMs());
    const { store, ...rest } = changeOf(deps, { who, team, user }, decision, 'scim.user_removed');
    return { ...rest, store: { ...store, alongside: scim.removingUser(user) } };
  });
  await carryOut(deps, hasLeft, mail);
}

async function saveUser(
  deps: ProvisionDeps,
  who: Provider,
  id: string,
  change: (before: ScimUser | undefined) => ScimUser,
): Promise<UserWithState> {
  const { scim, clock } = deps;
  const { saved, mail, hasLeft } = await changeTeam(deps, who.workspace.id, async (team): Promise<Saved> => {
    const before = await scim.user(who.workspace.id, id);
    const wasActive = isMember(team, before?.accountId);
    const wanted = change(before && { ...before, isActive: wasActive });
    await refuseTakenName(deps, who, id, wanted.userName);
    const given = {
      ...fieldsOf(wanted),
      ...idsOf(before, { id, workspaceId: who.workspace.id, nowMs: clock.nowMs() }),
    };
    const { isActive } = wanted;
    const address = emailOf(wanted).toLowerCase();
    const known = { ...given, email: before?.accountId === undefined ? address : before.email };
    const account = await accountOf(deps, who, known, { team, isActive });
    const groups = (await scim.groupsOfUser(who.workspace.id, id)).map(({ groupName }) => groupName);
    const person = { ...personOf(who, known), account, isActive, groups };
    const decision = decideProvisioning(team, person, clock.nowMs());
    const user = { ...known, accountId: account?.id ?? known.accountId, roleGroup: groupOf(decision, known) };
    const saved = { user, isActive };
    if (before !== undefined && decision.kind === 'none' && isSame(before, user))
      return { saved, hasLeft: false };
    const action = before === undefined ? 'scim.user_added' : 'scim.user_changed';
    const changed = changeOf(deps, { who, team, user, account }, decision, action);
    const row = before === undefined ? scim.addingUser(user) : scim.settingUser(user);
    return { ...changed, saved, store: { ...changed.store, alongside: [row] } };
  });
  await carryOut(deps, hasLeft, mail);
  return saved;
}

async function carryOut(
  deps: ProvisionDeps,
  hasLeft: boolean,
  mail: OutgoingMail | undefined,
): Promise<void> {
  if (mail !== undefined) deps.onMail(mail);
  // The answer waits until the streams have ended at every hub that can be reached (decision 44, sign-in).
  if (hasLeft) await deps.openStreams.recheck();
}

export function isMember(team: Team, accountId: string | undefined): boolean {
  return team.members.some(({ userId }) => userId === accountId);
}

export function noSuchUser() {
  return refuse('not_found', 'there is no such user');
}

async function refuseTakenName(
  { scim }: ProvisionDeps,
  { workspace }: Provider,
  id: string,
  userName: string,
) {
  const namesake = await scim.userByName(workspace.id, userName);
  if (namesake !== undefined && namesake.id !== id)
    throw refuseScim('uniqueness', `userName: there is a user ${JSON.stringify(userName)}`);
}

/**
 * The account of a person. An active person without one gets one that is theirs when they prove the address. The address of an account
 * never follows the provider: it says who a person is to the provider, and not who they are here.
 */
async function accountOf(
  { accounts, scim, random, clock, defaultPlan: plan }: ProvisionDeps,
  { workspace, by, defaultRole }: Provider,
  { id, email, accountId }: KnownUser,
  { team, isActive }: { readonly team: Team; readonly isActive: boolean },
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  const own = accountId === undefined ? undefined : await accounts.userById(accountId);
  if (own !== undefined || !isActive) return own;
  const found = await accounts.userByEmail(email);
  if (found !== undefined) {
    const other = await scim.userByAccount(workspace.id, found.id);
    if (other !== undefined && other.id !== id)
      throw refuseScim(
        'uniqueness',
        `emails: the user ${JSON.stringify(other.userName)} has the account of ${email}`,
      );
    return found;
  }
  // A workspace without a free seat leaves no account behind.
  const newcomer = { account: { id: '', email }, isActive, groups: [], roleGroup: undefined, defaultRole };
  decideProvisioning(team, newcomer, clock.nowMs());
  const user = { id: random.uuid(), email, workspaceId: random.uuid(), plan, nowMs: clock.nowMs() };
  return await accounts.createUnentered(user, workspaceCreated(user, user.workspaceId, by.from));
}

function personOf({ defaultRole }: Provider, { accountId, email, roleGroup }: KnownUser) {
  const account = accountId === undefined ? undefined : { id: accountId, email };
  return { account, roleGroup, defaultRole, groups: [] };
}

function groupOf(decision: ProvisioningDecision, { roleGroup }: KnownUser): string | undefined {
  if (decision.kind === 'none') return roleGroup;
  return decision.kind === 'leaves' ? undefined : decision.group;
}

function fieldsOf({ isActive: _, ...fields }: ScimUser) {
  return fields;
}

function idsOf(
  before: KnownUser | undefined,
  { id, workspaceId, nowMs }: { readonly id: string; readonly workspaceId: string; readonly nowMs: number },
) {
  const { accountId, roleGroup, createdAtMs = nowMs } = before ?? {};
  return { id, workspaceId, accountId, roleGroup, createdAtMs, changedAtMs: nowMs };
}

function isSame(one: KnownUser, other: KnownUser): boolean {
  return JSON.stringify(sortedOf(one)) === JSON.stringify(sortedOf(other));
}

function sortedOf({ changedAtMs: _, ...user }: KnownUser) {
  return Object.entries(user).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

interface ChangeContext {
  readonly who: Provider;
  readonly team: Team;
  readonly user: KnownUser;
  readonly account?: { readonly id: string; readonly email: string } | undefined;
}

interface Changed extends Decided {
  readonly mail?: OutgoingMail | undefined;
  /** Credentials have ended. */
  readonly hasLeft: boolean;
  readonly store: NonNullable<Decided['store']>;
}

/** @param otherwise the action when no membership changes */
function changeOf(
  deps: ProvisionDeps,
  { who, team, user, account }: ChangeContext,
  decision: ProvisioningDecision,
  otherwise: AuditAction,
): Changed {
  const atMs = deps.clock.nowMs();
  const name = teamName(who, team);
  const ofUser: AuditTarget = { kind: 'scim_user', id: user.id, name: user.userName };
  const ofMember = (userId: string, email: string): AuditTarget => ({
    kind: 'member',
    id: userId,
    name: email,
  });
  const stored = (change: TeamChange, action: AuditAction, target: AuditTarget, details = {}) => ({
    change,
    entry: teamEntry(who, atMs, { action, target, details: { scim_user: user.userName, ...details } }),
  });
  switch (decision.kind) {
    case 'none':
      return { hasLeft: false, store: stored({ kind: 'scim_changed' }, otherwise, ofUser) };
    case 'joins': {
      const { role, group = null } = decision;
      const userId = account?.id ?? '';
      const change = { kind: 'joined_by_scim', userId, role, atMs } as const;
      const target = ofMember(userId, account?.email ?? user.email);
      return { hasLeft: false, store: stored(change, 'member.joined', target, { role, group }) };
    }
    case 'has_role': {
      const { member, role, group = null } = decision;
      const { userId } = member;
      if (!decision.isChanged) {
        const change = { kind: 'group_changed', userId, group: undefined } as const;
        return { hasLeft: false, store: stored(change, otherwise, ofUser, { group }) };
      }
      const mail = roleMail(deps, member.email, who.by.actor.name, { name, role });
      const change = { kind: 'role_changed', userId, role, group: undefined, mail, atMs } as const;
      const target = ofMember(userId, member.email);
      return { mail, hasLeft: true, store: stored(change, 'member.role_changed', target, { role, group }) };
    }
    case 'leaves': {
      const { userId, email, role } = decision.member;
      const mail = removedMail(deps, email, who.by.actor.name, name);
      const change = { kind: 'removed', userId, mail, atMs } as const;
      return {
        mail,
        hasLeft: true,
        store: stored(change, 'member.removed', ofMember(userId, email), { role }),
      };
    }
  }
}

interface Saved extends Decided {
  readonly saved: UserWithState;
  readonly mail?: OutgoingMail | undefined;
  readonly hasLeft: boolean;
}
