import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PLANS } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import type { ListedUser } from '../accounts/account-ports.ts';
import { LinkTokens } from '../accounts/link-token.ts';
import { ownMembership } from '../accounts/own-member.ts';
import { signOutEverywhere } from '../accounts/revoke-tokens.ts';
import { makeSignInUrl, refuseOtherThanAddress } from '../accounts/sign-in.ts';
import { operatorSource } from '../audit/sources.ts';
import { type VerifiedLog, verifyAudit } from '../audit/verify-audit.ts';
import type { Store } from '../build/create-store.ts';
import { localUrl } from '../build/listen.ts';
import { derivedKeys, masterKeysOf } from '../build/master-key.ts';
import { openStore } from '../build/open-store.ts';
import type { HubConfig } from '../config.ts';
import type { KnownHost, RunnerToken } from '../hosted/hosted-ports.ts';
import { makeRunnerToken, revokeRunnerToken, setHostedNetwork } from '../hosted/manage-hosted.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { randomWith, systemClock } from '../platform/system-clock.ts';
import { resetSecondFactor } from '../second-factor/manage-second-factor.ts';
import { bootstrap, type FirstTokens } from './bootstrap.ts';
import { type RotateOptions, type Rotation, rotateKeys } from './rotate-keys.ts';

const MAILS_LISTED = 1_000;
const USERS_PER_PAGE = 500;

/** The commands of an operator on the hub's machine. They use its data, also while the hub runs. */
export interface Admin extends AsyncDisposable, HostedAdmin {
  /** A consistent copy of the database; refuses to overwrite. */
  backup(toFile: string): Promise<void>;
  /** Undelivered mails, newest first. */
  waitingMails(): Promise<OutgoingMail[]>;
  mail(id: string): Promise<OutgoingMail>;
  /** A link that signs in the owner of this address once, for hubs without a mail server. */
  signInLink(email: string): Promise<string>;
  /** Creates an account with its username and first tokens. */
  bootstrap(account: { readonly email: string; readonly username: string }): Promise<FirstTokens>;
  /** Ends all sessions and access tokens of the owner of this address. */
  signOut(email: string): Promise<void>;
  /** Switches off the second factor of a person who has lost it, removes their passkeys and ends their sessions. */
  resetSecondFactor(email: string): Promise<void>;
  users(): AsyncIterable<ListedUser>;
  setPlan(username: string, plan: string): Promise<void>;
  /** Verifies the audit log of a workspace, given by username or id, or all logs. */
  verifyAudit(workspace?: string): AsyncIterable<VerifiedLog>;
  /** Replaces the master key, or continues an interrupted replacement. */
  rotateKeys(options: RotateOptions): Promise<Rotation>;
}

/** Opens the data of the hub with this configuration; refuses when there is none. */
export async function openAdmin(config: HubConfig): Promise<Admin> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'svc.db')))
    throw refuse('not_found', `no hub has kept its data in ${dataDir}: set SVC_DATA_DIR as for svc hub`);
  const store = await openStore(config);
  return {
    backup: (toFile) => store.backup(toFile),
    waitingMails: () => store.mailOutbox.waiting(MAILS_LISTED),
    async mail(id) {
      const mail = await store.mailOutbox.find(id);
      if (mail === undefined) throw refuse('not_found', `there is no mail "${id}"`);
      return mail;
    },
    signInLink: (email) => signInLink(store, config, email),
    bootstrap: (account) => {
      const { accounts, credentials, usernames } = store;
      const world = { clock: systemClock, random: randomWith(systemClock) };
      const deps = { accounts, credentials, usernames, ...world, defaultPlan: config.defaultPlan };
      return bootstrap(deps, account, operatorSource('svc admin'));
    },
    signOut: (email) => signOut(store, email),
    resetSecondFactor: (email) => resetOf(store, config, email),
    users: () => allUsers(store),
    setPlan: (username, plan) => setPlan(store, username, plan),
    rotateKeys: (options) => rotateKeys(config, store, options),
    verifyAudit: (workspace) => verifiedLogs(store, workspace),
    ...hostedAdmin(store),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Resets the second factor of a person. A running hub sees the change when it polls. */
async function resetOf(store: Store, config: HubConfig, email: string): Promise<void> {
  const user = await store.accounts.userByEmail(email);
  if (user === undefined) throw refuse('not_found', `no account has the address ${email}`);
  const { member } = await ownMembership(store, user.id);
  const openStreams = { recheck: () => Promise.resolve() };
  const world = { clock: systemClock, random: randomWith(systemClock), openStreams };
  const deps = { ...store, ...world, settings: { hubUrl: urlOf(config) } };
  await resetSecondFactor(deps, member, operatorSource('svc admin'));
}

function urlOf({ hubUrl, host, port }: HubConfig): string {
  return hubUrl ?? localUrl({ port }, host);
}

function signInLink(store: Store, config: HubConfig, email: string): Promise<string> {
  refuseOtherThanAddress(email);
  const tokens = new LinkTokens(derivedKeys(masterKeysOf(config), 'links'));
  const clock = systemClock;
  const ports = { links: store.signInLinks, clock, random: randomWith(clock), tokens };
  return makeSignInUrl({ ...ports, hubUrl: urlOf(config) }, email);
}

/** A running hub notices revocations by polling and closes connections itself. */
async function signOut({ accounts, credentials }: Store, email: string): Promise<void> {
  const user = await accounts.userByEmail(email);
  if (user === undefined) throw refuse('not_found', `no account has the address ${email}`);
  const { member } = await ownMembership({ accounts }, user.id);
  const openStreams = { recheck: () => Promise.resolve() };
  const ports = { credentials, clock: systemClock, openStreams };
  await signOutEverywhere(ports, member, operatorSource('svc admin'));
}

async function* allUsers({ accounts }: Store): AsyncGenerator<ListedUser> {
  let last = '';
  for (;;) {
    const users = await accounts.usersAfter(last, USERS_PER_PAGE);
    yield* users;
    if (users.length < USERS_PER_PAGE) return;
    last = users.at(-1)?.email ?? '';
  }
}

async function setPlan({ accounts }: Store, username: string, plan: string): Promise<void> {
  const chosen = PLANS.find((one) => one === plan);
  if (chosen === undefined)
    throw refuse('invalid_argument', `"${plan}": one of ${PLANS.join(', ')} expected`);
  const workspace = await accounts.workspaceByAnyUsername(username);
  if (workspace === undefined) throw refuse('not_found', `nobody has the username "${username}"`);
  await accounts.setPlan(workspace.id, chosen, {
    ...operatorSource('svc admin'),
    workspaceId: workspace.id,
    atMs: systemClock.nowMs(),
    action: 'workspace.plan_changed',
    target: { kind: 'workspace', id: workspace.id, name: username },
    details: { from: workspace.plan, to: chosen },
  });
}

/** A deleted workspace has no username, but its audit log is still found by id. */
async function* verifiedLogs(
  { accounts, audit }: Store,
  workspace: string | undefined,
): AsyncGenerator<VerifiedLog> {
  if (workspace === undefined) {
    yield* verifyAudit(audit);
    return;
  }
  const id = (await accounts.workspaceByAnyUsername(workspace))?.id ?? workspace;
  if ((await audit.head(id)) === undefined)
    throw refuse('not_found', `no workspace with an audit log is called "${workspace}", or has this id`);
  yield* verifyAudit(audit, id);
}

/** A token with the hosts that use it. */
export type ListedRunnerToken = Omit<RunnerToken, 'hash'> & { readonly hosts: readonly KnownHost[] };

/** The operator's commands for the hosted runner. */
interface HostedAdmin {
  /** Creates a token, which is shown only once. */
  makeRunnerToken(name: string): Promise<{ readonly id: string; readonly token: string }>;
  runnerTokens(): Promise<readonly ListedRunnerToken[]>;
  revokeRunnerToken(id: string): Promise<void>;
  setHostedNetwork(username: string, isAllowed: boolean): Promise<void>;
}

function hostedAdmin({ runnerTokens, hosts, hosted, accounts }: Store): HostedAdmin {
  const clock = systemClock;
  const deps = { runnerTokens, hosted, accounts, random: randomWith(clock), clock };
  return {
    async makeRunnerToken(name) {
      const { row, token } = await makeRunnerToken(deps, name);
      return { id: row.id, token };
    },
    async runnerTokens() {
      const all = await hosts.all();
      return (await runnerTokens.list()).map(({ hash: _, ...token }) => ({
        ...token,
        hosts: all.filter(({ tokenId }) => tokenId === token.id),
      }));
    },
    revokeRunnerToken: (id) => revokeRunnerToken(deps, id),
    setHostedNetwork: (username, isAllowed) =>
      setHostedNetwork(deps, { username, isAllowed }, operatorSource('svc admin')),
  };
}
