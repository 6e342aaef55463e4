import type { Vault } from '../platform/world.ts';
import type { SignInChecks } from './openid-provider.ts';

/** A sign-in at the provider that has not returned. A sealed cookie of the browser that began it holds it. */
export interface PendingSignIn extends SignInChecks {
  readonly startedAtMs: number;
  /** The signed-in user who links an identity; undefined: a person signs in. */
  readonly linkTo: string | undefined;
}

export const PENDING_MS = 10 * 60 * 1000;

const OWNER = { workspaceId: '', kind: 'sign_in', id: 'pending' } as const;

export function sealPending(vault: Vault, pending: PendingSignIn): string {
  return Buffer.from(vault.seal(JSON.stringify(pending), OWNER)).toString('base64url');
}

/** Undefined for a text that this hub has not sealed, or that is older than ten minutes. */
export function openPending(vault: Vault, text: string, nowMs: number): PendingSignIn | undefined {
  try {
    const opened = vault.open(Buffer.from(text, 'base64url').toString(), OWNER);
    const pending = JSON.parse(opened) as PendingSignIn;
    return nowMs - pending.startedAtMs < PENDING_MS ? pending : undefined;
  } catch {
    return undefined;
  }
}
