import { hash } from 'node:crypto';
import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { isSameAddress } from '@svc/core/team/invite';
import type { Member } from '../accounts/account-ports.ts';
import { refuseOtherThanAddress } from '../accounts/sign-in.ts';
import { readCookie, setCookie } from '../platform/http/cookie.ts';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { ProvedIdentity, WorkspaceProvider } from './identity-ports.ts';
import type { Identities } from './store/identity-store.ts';
import type { WorkspaceProviders } from './store/workspace-provider-store.ts';

/** A person whom the provider of a workspace has signed in, and who is linked to no account yet. */
interface PendingLink {
  readonly id: string;
  readonly workspaceId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly startedAtMs: number;
}

interface LinkDeps {
  readonly clock: Clock;
  readonly identities: Pick<Identities, 'useSignIn'>;
  readonly random: Random;
  readonly settings: { readonly hubUrl: string };
  readonly vault: Vault;
  readonly workspaceProviders: Pick<WorkspaceProviders, 'identity' | 'link'>;
}

const COOKIE = 'svc_oidc_link';
/** Longer than the link in a mail, by which a new person gets an account meanwhile. */
const LINK_MS = 20 * 60 * 1000;
const OWNER = { workspaceId: '', kind: 'sign_in', id: 'link' } as const;

/**
 * The cookie that holds the person until their account is linked. Refuses with `forbidden` when the provider gives no address, or says
 * that it has not verified it.
 */
export function linkCookie(
  { clock, random, settings, vault }: Omit<LinkDeps, 'identities' | 'workspaceProviders'>,
  workspaceId: string,
  { issuer, subject, email, isEmailVerified }: ProvedIdentity,
): string {
  if (email === undefined || !isEmailVerified)
    throw refuse('forbidden', 'the sign-in provider gives no verified email address for you');
  refuseOtherThanAddress(email);
  const startedAtMs = clock.nowMs();
  const link: PendingLink = { id: random.uuid(), workspaceId, issuer, subject, email, startedAtMs };
  const sealed = Buffer.from(sealJson(vault, link, OWNER)).toString('base64url');
  return setCookie(settings.hubUrl, COOKIE, sealed, LINK_MS / 1000);
}

export function endedLinkCookie(hubUrl: string): string {
  return setCookie(hubUrl, COOKIE, '', 0);
}

/** The person whom this browser has signed in at the provider of the workspace. Refuses with `link_expired` when there is none. */
export function openSignInLink(
  { clock, settings, vault }: Pick<LinkDeps, 'clock' | 'settings' | 'vault'>,
  request: Request,
  workspaceId: string,
): PendingLink {
  const text = Buffer.from(readCookie(request, settings.hubUrl, COOKIE) ?? '', 'base64url').toString();
  const link = openJson<PendingLink>(vault, text, OWNER);
  const isValid = link?.workspaceId === workspaceId && clock.nowMs() - link.startedAtMs < LINK_MS;
  if (!isValid)
    throw refuse('link_expired', 'no sign-in at the provider in this browser within the last 20 minutes');
  return link;
}

/** The same, once. */
export async function useLink(deps: LinkDeps, request: Request, workspaceId: string): Promise<PendingLink> {
  const link = openSignInLink(deps, request, workspaceId);
  if (!(await deps.identities.useSignIn(hash('sha256', `link ${link.id}`), link.startedAtMs + LINK_MS)))
    throw refuse('link_used', 'this sign-in was linked already: sign in at the provider again');
  return link;
}

/**
 * Links the person at the provider to the signed-in account with the same address (decision 92, providers of workspaces). The entry is
 * in the audit log of the workspace.
 */
export async function linkWorkspaceIdentity(
  { clock, random, workspaceProviders }: Pick<LinkDeps, 'clock' | 'random' | 'workspaceProviders'>,
  { workspaceId, name }: WorkspaceProvider,
  { proved, member }: { readonly proved: PendingLink; readonly member: Pick<Member, 'userId' | 'email'> },
  by: AuditSource,
): Promise<void> {
  const { issuer, subject, email } = proved;
  const { userId } = member;
  if (!isSameAddress(email, member.email))
    throw refuse('forbidden', `${name} knows you as ${email}, and this account belongs to ${member.email}`);
  const known = await workspaceProviders.identity(workspaceId, issuer, subject);
  if (known?.userId === userId) return;
  const nowMs = clock.nowMs();
  const identity = { id: random.uuid(), workspaceId, issuer, subject, userId, email };
  const isLinked =
    known === undefined &&
    (await workspaceProviders.link(
      { ...identity, createdAtMs: nowMs, usedAtMs: nowMs },
      {
        ...by,
        workspaceId,
        atMs: nowMs,
        action: 'account.identity_linked',
        target: { kind: 'account', id: userId, name: member.email },
        details: { issuer },
      },
    )) === 'stored';
  if (!isLinked) throw refuse('forbidden', `this sign-in of ${name} is linked to another account`);
}
