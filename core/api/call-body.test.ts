import { expect, test } from 'bun:test';
import { readContentDigest } from './call-body.ts';

const DIGEST = new Uint8Array(32).fill(7);
const SHA_256 = `sha-256=:${DIGEST.toBase64()}:`;

test.each([SHA_256, `sha-512=:AAAA:, ${SHA_256}`, `${SHA_256}, unixsum=:AA==:`, ` ${SHA_256};a=1`])(
  'reads %s',
  (header) => expect(readContentDigest(header)).toEqual(DIGEST),
);

test('a request without the header has none', () => expect(readContentDigest(null)).toBeUndefined());

test.each(['', 'sha-256=:short:', 'sha-512=:AAAA:', `x${SHA_256}`, SHA_256.slice(0, -1)])(
  'refuses %p, which it cannot check',
  (header) => expect(() => readContentDigest(header)).toThrow('Content-Digest'),
);
