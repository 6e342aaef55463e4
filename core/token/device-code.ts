/** Twenty consonants. None looks like another or like a digit, and they form no words (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LETTER_COUNT = 8;
const HALF = LETTER_COUNT / 2;

export const DEVICE_CODE_LIFE_SEC = 600;
export const DEVICE_POLL_SEC = 5;
/** The added interval, in seconds, for a program that asks too soon (RFC 8628, 3.5). */
const SLOWER_SEC = 5;

export const DEVICE_CODE_STATES = ['pending', 'approved', 'denied', 'used'] as const;
export type DeviceCodeState = (typeof DEVICE_CODE_STATES)[number];

/**
 * The actions on a code that each state allows. All of them also end when the code expires.
 *
 *     pending ──approve──> approved ──redeem──> used
 *        └─────deny──────> denied
 */
export const DEVICE_CODE_CAN = {
  approve: ['pending'],
  deny: ['pending'],
  redeem: ['approved'],
} as const satisfies Record<string, readonly DeviceCodeState[]>;

/** The answers to a program that waits, in the words of RFC 8628, 3.5; `redeem`: the program gets its token. */
export type PollDecision =
  | { readonly kind: 'redeem' }
  | { readonly kind: 'expired_token' | 'access_denied' }
  | { readonly kind: 'authorization_pending' | 'slow_down'; readonly intervalSec: number };

export interface PolledCode {
  readonly state: DeviceCodeState;
  readonly expiresAtMs: number;
  readonly intervalSec: number;
  readonly polledAtMs: number | undefined;
}

/** The answer to a program that asks at `nowMs`. A used code is answered like an expired one. */
export function decidePoll(
  { state, expiresAtMs, intervalSec, polledAtMs }: PolledCode,
  nowMs: number,
): PollDecision {
  if (expiresAtMs <= nowMs || state === 'used') return { kind: 'expired_token' };
  if (state === 'denied') return { kind: 'access_denied' };
  if (state === 'approved') return { kind: 'redeem' };
  const isTooSoon = polledAtMs !== undefined && nowMs - polledAtMs < intervalSec * 1000;
  return isTooSoon
    ? { kind: 'slow_down', intervalSec: intervalSec + SLOWER_SEC }
    : { kind: 'authorization_pending', intervalSec };
}

/** The code that a person compares or types, such as `WDJB-MJHT`: 34 of at least 128 random bits. */
export function userCodeOf(random: Uint8Array): string {
  let rest = random.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; text.length < LETTER_COUNT; rest /= 20n) text += LETTERS[Number(rest % 20n)];
  return withDash(text);
}

/** The code that a person typed, in its normal form; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const isCode = text.length === LETTER_COUNT && [...text].every((letter) => LETTERS.includes(letter));
  return isCode ? withDash(text) : undefined;
}

function withDash(letters: string): string {
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}
