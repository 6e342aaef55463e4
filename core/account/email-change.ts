import { refuse } from '../refusal.ts';

/** The two addresses of a change. Each has a link of its own, and both confirm. */
export const EMAIL_SIDES = ['old', 'new'] as const;
export type EmailSide = (typeof EMAIL_SIDES)[number];

/** How long the links of a change work. */
export const EMAIL_CHANGE_LIFE_MS = 24 * 60 * 60 * 1000;

/**
 * `pending`: it waits for an address. `done`: the account has the new address. `stopped`: the old address or the person ended it.
 * `replaced`: the person asked for another address. `failed`: another account has the address by now.
 */
export type EmailChangeState = 'pending' | 'done' | 'stopped' | 'replaced' | 'failed';

/** A request to change the address of an account (decision 101, change of address). Times are epoch milliseconds. */
export interface EmailChange {
  readonly id: string;
  readonly userId: string;
  readonly fromEmail: string;
  readonly toEmail: string;
  readonly state: EmailChangeState;
  /** Each answer increments it, so the second of two concurrent answers is decided again. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly oldConfirmedAtMs: number | undefined;
  readonly newConfirmedAtMs: number | undefined;
  /** When the change was done, stopped or replaced, or failed. */
  readonly closedAtMs: number | undefined;
}

/** Refuses a change that is closed or has expired, and says why. */
export function refuseClosedEmailChange(change: EmailChange, nowMs: number): void {
  const at = iso(change.closedAtMs);
  switch (change.state) {
    case 'done':
      throw refuse('link_used', `the address was changed at ${at}`);
    case 'stopped':
      throw refuse('link_withdrawn', `the change of the address was stopped at ${at}`);
    case 'replaced':
      throw refuse('link_withdrawn', `the account asked for another change at ${at}`);
    case 'failed':
      throw refuse('link_withdrawn', `the change of the address ended at ${at}`);
    case 'pending':
      if (change.expiresAtMs <= nowMs)
        throw refuse(
          'link_expired',
          `this link was valid until ${iso(change.expiresAtMs)}; ask for a new change`,
        );
  }
}

/** When an address confirmed; undefined: it has not. */
export function confirmedAtMs(change: EmailChange, side: EmailSide): number | undefined {
  return side === 'old' ? change.oldConfirmedAtMs : change.newConfirmedAtMs;
}

/**
 * What the confirmation of one address does: `completes` when the other address has already confirmed. Refuses a second
 * confirmation of the same address with `link_used`.
 */
export function decideEmailConfirmation(
  change: EmailChange,
  side: EmailSide,
  nowMs: number,
): 'waits' | 'completes' {
  refuseClosedEmailChange(change, nowMs);
  const before = confirmedAtMs(change, side);
  if (before !== undefined) throw refuse('link_used', `this address confirmed the change at ${iso(before)}`);
  return confirmedAtMs(change, side === 'old' ? 'new' : 'old') === undefined ? 'waits' : 'completes';
}

function iso(atMs: number | undefined): string {
  return new Date(atMs ?? 0).toISOString();
}
