/** The digits and letters of Crockford's base 32, which has no I, L, O and U. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const DIGIT_COUNT = 16;
const GROUP = 4;

/** 80 bits: guessing is hopeless, and the hash of a code cannot be reversed by trying all codes. */
export const RECOVERY_CODE_BYTES = 10;
export const RECOVERY_CODES = 10;
/** More than the longest way to write a code, with a space after each digit. */
export const MAX_TYPED_CODE = 64;

/** A code that a person keeps on paper, such as `7k3m-q0vd-x2hs-9rtw`. */
export function recoveryCodeOf(random: Uint8Array): string {
  if (random.length !== RECOVERY_CODE_BYTES)
    throw new Error(`${random.length} random bytes: ${RECOVERY_CODE_BYTES} expected`);
  let rest = random.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; text.length < DIGIT_COUNT; rest /= 32n) text += DIGITS[Number(rest % 32n)];
  return inGroups(text);
}

/** The code that a person typed, in its normal form; undefined if it cannot be a code. */
export function readRecoveryCode(typed: string): string | undefined {
  if (typed.length > MAX_TYPED_CODE) return undefined;
  const text = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  const isCode = text.length === DIGIT_COUNT && [...text].every((digit) => DIGITS.includes(digit));
  return isCode ? inGroups(text) : undefined;
}

function inGroups(digits: string): string {
  const groups: string[] = [];
  for (let at = 0; at < digits.length; at += GROUP) groups.push(digits.slice(at, at + GROUP));
  return groups.join('-');
}
