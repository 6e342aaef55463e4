/** The kinds of tokens, by prefix (decision 1, tokens). */
export const TOKEN_PREFIXES = {
  api_key: 'svc_sk_',
  agent_token: 'svc_at_',
  enrolment_token: 'svc_et_',
  runner_token: 'svc_rt_',
  access_token: 'svc_pat_',
  oauth_access: 'svc_oa_',
  oauth_refresh: 'svc_or_',
  scim_token: 'svc_scim_',
} as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

/** The characters of the body of a token. */
export const TOKEN_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 > 2^256, and 62^6 > 2^32. */
const BODY_DIGITS = 43;
const CHECK_DIGITS = 6;
/** The number of characters behind the prefix of a token. */
export const TOKEN_CHARACTERS = BODY_DIGITS + CHECK_DIGITS;

/**
 * A token from 32 random bytes: prefix, body in base62, and a CRC-32 of both, which reveals typing errors without a
 * look-up.
 */
export function formToken(kind: TokenKind, secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES)
    throw new Error(`${secret.length} random bytes: ${SECRET_BYTES} expected`);
  const value = secret.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const text = TOKEN_PREFIXES[kind] + base62(value, BODY_DIGITS);
  return text + base62(BigInt(crc32(text)), CHECK_DIGITS);
}

/** The kind of a well-formed token; undefined for any other text, including a mistyped token. */
export function tokenKind(token: string): TokenKind | undefined {
  for (const [kind, prefix] of Object.entries(TOKEN_PREFIXES)) {
    if (!token.startsWith(prefix)) continue;
    return isWellFormed(token, prefix) ? (kind as TokenKind) : undefined;
  }
  return undefined;
}

function isWellFormed(token: string, prefix: string): boolean {
  if (token.length !== prefix.length + TOKEN_CHARACTERS) return false;
  const text = token.slice(0, -CHECK_DIGITS);
  return token.slice(-CHECK_DIGITS) === base62(BigInt(crc32(text)), CHECK_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = TOKEN_DIGITS[Number(rest % 62n)] + text;
  return text;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** CRC-32 (ISO 3309, as in zip and PNG) of ASCII text, as an unsigned 32-bit number. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    crc = (TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
