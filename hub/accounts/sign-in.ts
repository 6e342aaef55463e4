import { EMAIL_ADDRESS } from '@svc/core/account/email-address';
import type { AuditEntry, AuditOrigin } from '@svc/core/audit/entry';
import { layOutLetter } from '@svc/core/mail/letter';
import type { Plan } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { limitedNetwork } from '../platform/http/limited-network.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { SignInLink } from './account-ports.ts';
import type { LinkTokens } from './link-token.ts';
import { linkIsNotEnough } from './make-tokens.ts';
import type { Accounts } from './store/account-store.ts';
import type { Credentials } from './store/credentials.ts';
import type { SignInLinks } from './store/sign-in-links.ts';

export const SIGN_IN_MS = 15 * 60 * 1000;

type SignInDeps = {
  readonly links: SignInLinks;
  readonly accounts: Accounts;
  readonly teams: Teams;
  readonly clock: Clock;
  readonly random: Random;
} & {
  readonly tokens: LinkTokens;
  readonly hubUrl: string;
  readonly signup: 'open' | 'invited';
  readonly operators: readonly string[];
  readonly defaultPlan: Plan;
  /** The name of the OpenID provider whose groups have roles; undefined: groups mean nothing. */
  readonly providerOfGroups: string | undefined;
};

/**
 * Sends a sign-in link (decision 44, sign-in). The response and its time do not reveal whether there is an account: a link
 * is stored either way, and one that is never sent opens nothing. `sent` is for the log.
 */
export async function requestSignIn(
  ports: SignInDeps,
  email: string,
): Promise<{ readonly sent: OutgoingMail | undefined }> {
  refuseOtherThanAddress(email);
  const isWelcome = await mayHaveAccount(ports, email);
  const { link, url } = newLink(ports, email);
  const sent = isWelcome ? signInMail(ports.random.uuid(), email, url, link.createdAtMs) : undefined;
  await ports.links.add(link, sent);
  return { sent };
}

/** NOTE: Runs the same queries in the same order for every address, so that the time of the response reveals nothing. */
export async function mayHaveAccount(
  {
    signup,
    operators,
    accounts,
    teams,
    clock,
  }: Pick<SignInDeps, 'signup' | 'operators' | 'accounts' | 'teams' | 'clock'>,
  email: string,
): Promise<boolean> {
  if (signup === 'open') return true;
  const invite = await teams.openInvite(email, clock.nowMs());
  const user = await accounts.userByEmail(email);
  return operators.includes(email.toLowerCase()) || invite !== undefined || user !== undefined;
}

type LinkDeps = Pick<SignInDeps, 'links' | 'clock' | 'random' | 'tokens' | 'hubUrl'>;

/** A URL that signs in the owner of the address, once, within 15 minutes. */
export async function makeSignInUrl(ports: LinkDeps, email: string): Promise<string> {
  const { link, url } = newLink(ports, email);
  await ports.links.add(link);
  return url;
}

function newLink({ clock, random, tokens, hubUrl }: Omit<LinkDeps, 'links'>, email: string) {
  const id = random.uuid();
  const createdAtMs = clock.nowMs();
  const link = { id, email, createdAtMs, expiresAtMs: createdAtMs + SIGN_IN_MS, usedAtMs: undefined };
  return { link, url: `${hubUrl}/login/${tokens.form('sign_in', id)}` };
}

export function refuseOtherThanAddress(email: string): void {
  if (!EMAIL_ADDRESS.test(email)) throw refuse('invalid_argument', 'email: an e-mail address expected');
}

/** Checks a link without using it; refuses an unknown, used or expired one (decision 34, links that act). */
export async function findSignInLink(
  { links, clock, tokens }: Pick<SignInDeps, 'links' | 'clock' | 'tokens'>,
  token: string,
): Promise<SignInLink> {
  const id = tokens.read('sign_in', token);
  const link = id === undefined ? undefined : await links.find(id);
  if (link === undefined) throw refuse('not_found', 'there is no such link');
  if (link.usedAtMs !== undefined) throw usedAt(link.usedAtMs);
  if (link.expiresAtMs <= clock.nowMs()) {
    throw refuse('link_expired', `this link was valid until ${iso(link.expiresAtMs)}; ask for a new one`);
  }
  const voidedAtMs = await links.voidedAtMs(link);
  if (voidedAtMs !== undefined) {
    const when = iso(voidedAtMs);
    throw refuse('link_withdrawn', `the account got another address at ${when}, so this link does not work`);
  }
  return link;
}

/** Refuses a link of a person with a second factor with `second_factor_required`; the link stays usable. */
export async function refuseLinkAlone(
  ports: Pick<SignInDeps, 'links' | 'clock' | 'tokens' | 'accounts'> & {
    readonly credentials: Pick<Credentials, 'hasSecondFactor'>;
  },
  token: string,
): Promise<void> {
  const { email } = await findSignInLink(ports, token);
  const user = await ports.accounts.userByEmail(email);
  if (user !== undefined && (await ports.credentials.hasSecondFactor(user.id))) throw linkIsNotEnough();
}

/** Uses the link, once, and returns its user. An address without an account gets one. */
export async function confirmSignIn(
  ports: SignInDeps,
  token: string,
  from: AuditOrigin,
): Promise<{ readonly id: string; readonly email: string }> {
  const link = await findSignInLink(ports, token);
  const nowMs = ports.clock.nowMs();
  if (!(await ports.links.use(link, nowMs))) throw usedAt(nowMs);
  const user = await findOrCreateUser(ports, link.email, from);
  await refuseMemberByGroup(ports, user);
  return user;
}

/**
 * A link by mail would keep the membership of a person who has left the group (decision 78, roles by groups). Operators keep the
 * link, so that no workspace locks them out of the hub.
 */
export async function refuseMemberByGroup(
  { teams, providerOfGroups, operators }: Pick<SignInDeps, 'teams' | 'providerOfGroups' | 'operators'>,
  { id, email }: User,
): Promise<void> {
  if (providerOfGroups === undefined || operators.includes(email.toLowerCase())) return;
  if ((await teams.joinedByGroup(id)).length === 0) return;
  throw refuse('forbidden', `you are in a team by a group of ${providerOfGroups}: sign in there`);
}

type NewUserDeps = Pick<SignInDeps, 'accounts' | 'random' | 'clock' | 'defaultPlan'>;
type User = { readonly id: string; readonly email: string };

export async function findOrCreateUser(deps: NewUserDeps, email: string, from: AuditOrigin): Promise<User> {
  const { accounts, random, clock, defaultPlan: plan } = deps;
  const known = await accounts.userByEmail(email);
  if (known !== undefined) return withOwnWorkspace(deps, known, from);
  const user = { id: random.uuid(), email, workspaceId: random.uuid(), plan, nowMs: clock.nowMs() };
  return accounts.createUser(user, workspaceCreated(user, user.workspaceId, from));
}

/** A user who deleted their workspace gets a new, empty one. */
export async function withOwnWorkspace(
  { accounts, random, clock, defaultPlan: plan }: NewUserDeps,
  user: User,
  from: AuditOrigin,
): Promise<User> {
  const all = await accounts.workspacesOf(user.id);
  if (all.some(({ role }) => role === 'owner')) return user;
  const [id, nowMs] = [random.uuid(), clock.nowMs()];
  const entry = workspaceCreated({ ...user, plan, nowMs }, id, from);
  await accounts.createWorkspace({ plan, nowMs, id, userId: user.id, limit: 1 }, entry);
  return user;
}

/** The first entry of a workspace, which its new owner makes. */
export function workspaceCreated(
  { id, email, plan, nowMs }: User & { readonly plan: Plan; readonly nowMs: number },
  workspaceId: string,
  from: AuditOrigin,
): AuditEntry {
  return {
    actor: { kind: 'member', id, name: email },
    from,
    workspaceId,
    atMs: nowMs,
    action: 'workspace.created',
    target: { kind: 'workspace', id: workspaceId, name: email },
    details: { plan },
  };
}

function usedAt(atMs: number) {
  return refuse('link_used', `this link was used at ${iso(atMs)}; ask for a new one`);
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function signInMail(id: string, to: string, url: string, createdAtMs: number): OutgoingMail {
  const letter = layOutLetter({
    subject: 'Sign in to svc',
    paragraphs: [`Somebody, most likely you, wants to sign in to svc as ${to}.`],
    action: { label: 'Sign in', url },
    notes: [
      'The link works once and for 15 minutes.',
      'If you did not ask for it, you can ignore this mail.',
    ],
  });
  return { id, to, ...letter, createdAtMs };
}

export interface SignInLimitDeps {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly settings: Settings;
}

/** Tries per minute from one IP address, and for one e-mail address or user (decision 26, limits). */
const SIGN_INS_PER_MINUTE = 10;

/** Counts one more sign-in attempt or sign-in mail; refuses when there were too many. */
export function limitSignIns({ settings, limiter }: SignInLimitDeps, who: string): void {
  const { signIn } = settings.rates;
  if (signIn !== 'off') limiter.take(`sign-in ${who}`, signIn ?? SIGN_INS_PER_MINUTE);
}

/** Limits sign-ins by the IP address of the request. */
export function limitSignInsFrom(deps: SignInLimitDeps, request: Request): void {
  limitSignIns(deps, `address:${limitedNetwork(deps.addressOf(request))}`);
}

export interface SendSignInLinkDeps extends SignInLimitDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly links: SignInLinks;
  readonly random: Random;
  readonly teams: Teams;
}

export interface SignInParts {
  readonly tokens: LinkTokens;
  readonly defaultPlan: Plan;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Mails a sign-in link when the address may sign in. The response does not reveal whether it may. */
export async function sendSignInLink(
  deps: SendSignInLinkDeps,
  parts: SignInParts,
  email: string,
): Promise<void> {
  limitSignIns(deps, `email:${email.toLowerCase()}`);
  const { sent } = await requestSignIn({ ...deps, ...deps.settings, ...parts }, email);
  if (sent !== undefined) parts.onMail(sent);
}
