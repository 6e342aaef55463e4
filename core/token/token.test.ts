import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { crc32, formToken, TOKEN_PREFIXES, type TokenKind, tokenKind } from './token.ts';

const kinds = Object.keys(TOKEN_PREFIXES) as TokenKind[];
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('the check sum is CRC-32 as in zip: that of "123456789" is cbf43926', () => {
  expect(crc32('123456789')).toBe(0xcbf43926);
  expect(crc32('')).toBe(0);
});

describe('a token', () => {
  test('has its prefix, 43 digits and 6 of check sum, and says what kind it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), secret, (kind, bytes) => {
        const token = formToken(kind, bytes);
        expect(token).toMatch(new RegExp(`^${TOKEN_PREFIXES[kind]}[0-9A-Za-z]{49}$`));
        expect(tokenKind(token)).toBe(kind);
      }),
    );
  });

  test('differs where the secrets do', () => {
    fc.assert(
      fc.property(secret, secret, (a, b) => {
        expect(formToken('api_key', a) === formToken('api_key', b)).toBe(
          a.every((byte, at) => byte === b[at]),
        );
      }),
    );
  });

  test('that is mistyped in one place, cut or lengthened is refused', () => {
    fc.assert(
      fc.property(secret, fc.nat(), fc.constantFrom(...'aZ09-'), (bytes, place, character) => {
        const token = formToken('agent_token', bytes);
        const at = place % token.length;
        fc.pre(token[at] !== character);
        expect(tokenKind(token.slice(0, at) + character + token.slice(at + 1))).toBeUndefined();
        expect(tokenKind(token.slice(0, at))).toBeUndefined();
        expect(tokenKind(token + character)).toBeUndefined();
      }),
    );
  });

  test('takes 32 random bytes and no other number', () => {
    expect(() => formToken('api_key', new Uint8Array(31))).toThrow('32 expected');
  });
});
