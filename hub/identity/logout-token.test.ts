import { beforeAll, expect, test } from 'bun:test';
import { createLocalJWKSet, errors, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type LogoutTokenChecks, readLogoutToken } from './logout-token.ts';

const NOW_SEC = 1_800_000_000;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const GOOD: JWTPayload = {
  iss: 'https://login.example',
  aud: 'svc',
  iat: NOW_SEC,
  exp: NOW_SEC + 120,
  jti: 'one',
  sub: 'ada',
  sid: 's1',
  events: { [EVENT]: {} },
};

let own: CryptoKeyPair;
let foreign: CryptoKeyPair;
let checks: LogoutTokenChecks;
beforeAll(async () => {
  [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(own.publicKey)), kid: 'own' }] });
  checks = { issuer: 'https://login.example', clientId: 'svc', keys, nowMs: NOW_SEC * 1000 };
});

const signed = (claims: JWTPayload, { kid = 'own', key = own.privateKey } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: 'logout+jwt' }).sign(key);
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

test('a logout token names the person, the session, or both', async () => {
  const { iss: issuer } = GOOD;
  const [sub, sid] = ['ada', 's1'];
  const both = { issuer, subject: sub, sid, jti: 'one' };
  expect(await readLogoutToken(await signed(GOOD), checks)).toEqual(both as never);
  const { sub: _, ...bySession } = GOOD;
  expect(await readLogoutToken(await signed(bySession), checks)).toMatchObject({ sid });
  const { sid: __, exp: ___, ...byPerson } = GOOD;
  const forTwo = signed({ ...byPerson, aud: ['another', 'svc'] });
  expect(await readLogoutToken(await forTwo, checks)).toMatchObject({ subject: sub });
});

const WRONG: [what: string, claims: Record<string, unknown>][] = [
  ['of another issuer', { iss: 'https://evil.example' }],
  ['for another client', { aud: 'another' }],
  ['that has expired', { exp: NOW_SEC - 61 }],
  ['of eleven minutes ago', { iat: NOW_SEC - 11 * 60 - 1, exp: NOW_SEC + 60 }],
  ['of the future', { iat: NOW_SEC + 120 }],
  ['without a time', { iat: undefined }],
  ['without an id', { jti: undefined }],
  ['with an empty id', { jti: '' }],
  ['with a nonce, as an ID token', { nonce: 'n' }],
  ['with an empty nonce', { nonce: '' }],
  ['without events', { events: undefined }],
  ['with another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
  ['with an event that is no object', { events: { [EVENT]: true } }],
  ['with an event in a list', { events: [EVENT] }],
  ['without person and session', { sub: undefined, sid: undefined }],
  ['with a person that is no text', { sub: 7 }],
  ['with an empty person', { sub: '' }],
  ['with a session that is no text', { sid: ['s1'] }],
];

test.each(WRONG)('a token %s is refused', async (_what, claims) => {
  expect(await failureOf(signed({ ...GOOD, ...claims } as JWTPayload))).toBeInstanceOf(errors.JOSEError);
});

test('only a key of the provider signs', async () => {
  const unsigned = `${encoded({ alg: 'none' })}.${encoded(GOOD)}.`;
  // The public key as the secret of an HMAC.
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(own.publicKey)));
  const shared = new SignJWT(GOOD).setProtectedHeader({ alg: 'HS256', kid: 'own' }).sign(secret);
  const tokens = [
    signed(GOOD, { key: foreign.privateKey }),
    signed(GOOD, { kid: 'other', key: foreign.privateKey }),
    Promise.resolve(unsigned),
    shared,
    Promise.resolve('no token'),
    Promise.resolve(''),
  ];
  for (const token of tokens) expect(await failureOf(token)).toBeInstanceOf(errors.JOSEError);
});

async function failureOf(token: Promise<string>): Promise<unknown> {
  return await readLogoutToken(await token, checks).then(
    () => 'accepted',
    (error: unknown) => error,
  );
}
