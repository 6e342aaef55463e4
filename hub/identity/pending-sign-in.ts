import { hash } from 'node:crypto';
import { refuse } from '@svc/core/refusal';
import { readCookie, setCookie } from '../platform/http/cookie.ts';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { SignInChecks } from './openid-provider.ts';
import type { Identities } from './store/identity-store.ts';

/** A sign-in at a provider that has not returned. A sealed cookie of the browser that began it holds it. */
export interface PendingSignIn extends SignInChecks {
  readonly startedAtMs: number;
  /** The signed-in user who links an identity; undefined: a person signs in. */
  readonly linkTo?: string | undefined;
  /** The workspace whose provider it is; undefined: that of the hub. */
  readonly workspaceId?: string | undefined;
}

interface PendingDeps {
  readonly clock: Clock;
  readonly identities: Pick<Identities, 'useSignIn'>;
  readonly settings: { readonly hubUrl: string };
  readonly vault: Vault;
}

const COOKIE = 'svc_oidc';
const PENDING_MS = 10 * 60 * 1000;
const OWNER = { workspaceId: '', kind: 'sign_in', id: 'pending' } as const;

/** The cookie that holds a sign-in until it returns. */
export function pendingCookie(
  { clock, settings, vault }: Omit<PendingDeps, 'identities'>,
  pending: Omit<PendingSignIn, 'startedAtMs'>,
): string {
  const sealed = sealJson(vault, { ...pending, startedAtMs: clock.nowMs() }, OWNER);
  return setCookie(settings.hubUrl, COOKIE, Buffer.from(sealed).toString('base64url'), PENDING_MS / 1000);
}

export function endedPendingCookie(hubUrl: string): string {
  return setCookie(hubUrl, COOKIE, '', 0);
}

/**
 * Uses up the sign-in that this browser began at this provider. Refuses with `link_expired` when there is none, or one that began at
 * another provider, and with `link_used` when it was used.
 *
 * @param workspaceId the workspace whose provider returns; undefined: that of the hub
 */
export async function takePending(
  { clock, identities, settings, vault }: PendingDeps,
  request: Request,
  workspaceId: string | undefined,
): Promise<PendingSignIn> {
  const text = Buffer.from(readCookie(request, settings.hubUrl, COOKIE) ?? '', 'base64url').toString();
  const pending = openJson<PendingSignIn>(vault, text, OWNER);
  if (
    pending === undefined ||
    pending.workspaceId !== workspaceId ||
    clock.nowMs() - pending.startedAtMs >= PENDING_MS
  )
    throw refuse('link_expired', 'this sign-in was not started in this browser within the last 10 minutes');
  const expiresAtMs = pending.startedAtMs + PENDING_MS;
  if (!(await identities.useSignIn(hash('sha256', pending.state), expiresAtMs)))
    throw refuse('link_used', 'this sign-in was used already: start again');
  return pending;
}
