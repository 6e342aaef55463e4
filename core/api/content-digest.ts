import { refuse } from '../refusal.ts';

const SHA_256 = /(?:^|,)\s*sha-256\s*=\s*:([A-Za-z0-9+/]{43}=):\s*(?:;[^,]*)?(?:,|$)/;

/**
 * The SHA-256 in a `Content-Digest` header (RFC 9530), 32 bytes; undefined without the header.
 *
 * @throws `invalid_argument` for a header without it: other digests are not checked
 */
export function readContentDigest(header: string | null): Uint8Array | undefined {
  if (header === null) return undefined;
  const [, base64] = SHA_256.exec(header) ?? [];
  if (base64 !== undefined) return Uint8Array.fromBase64(base64);
  throw refuse('invalid_argument', 'Content-Digest: sha-256=:…: expected, with the digest in base64');
}
