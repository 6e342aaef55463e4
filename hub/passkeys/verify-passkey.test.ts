import { expect, test } from 'bun:test';
import { PRESENT_ONLY, SoftwareAuthenticator } from './fixtures/software-authenticator.ts';
import type { Passkey } from './passkey-ports.ts';
import { verifyAssertion, verifyNewCredential } from './verify-passkey.ts';

const PARTY = { id: 'svc.example.com', origin: 'https://svc.example.com' };
const USE = { challenge: 'dGhlIGNoYWxsZW5nZQ', origin: PARTY.origin, rpId: PARTY.id };
const ADA = '0192f0c1-0000-7000-8000-000000000001';

async function registered(authenticator: SoftwareAuthenticator, counter = 0): Promise<Passkey> {
  authenticator.counter = counter;
  const verified = await verifyNewCredential(PARTY, USE.challenge, authenticator.create(USE));
  return { ...verified, id: 'p', userId: ADA, name: 'Laptop', createdAtMs: 0, usedAtMs: undefined };
}

test('a passkey that was added proves its person', async () => {
  const authenticator = new SoftwareAuthenticator();
  const passkey = await registered(authenticator, 3);
  expect(passkey).toMatchObject({ counter: 3, isBackedUp: 0 });
  authenticator.counter = 4;
  expect(await verifyAssertion(PARTY, USE.challenge, passkey, authenticator.get(USE, ADA))).toEqual({
    counter: 4,
    isBackedUp: 0,
  });
});

const WRONG: [string, object][] = [
  ['another challenge', { challenge: 'YW5vdGhlciBjaGFsbGVuZ2U' }],
  ['a page of another origin', { origin: 'https://svc.example.com.evil.example' }],
  ['plain http', { origin: 'http://svc.example.com' }],
  ['another relying party', { rpId: 'example.com' }],
  ['a person who was not verified', { flags: PRESENT_ONLY }],
];

test.each(WRONG)('a new passkey is refused with %s', async (_, more) => {
  const answer = new SoftwareAuthenticator().create({ ...USE, ...more });
  const refused = verifyNewCredential(PARTY, USE.challenge, answer);
  expect(await refused.catch((error: { code: string }) => error.code)).toBe('invalid_argument');
});

test.each(WRONG)('a sign-in is refused with %s', async (_, more) => {
  const authenticator = new SoftwareAuthenticator();
  const passkey = await registered(authenticator);
  const answer = authenticator.get({ ...USE, ...more }, ADA);
  expect(await verifyAssertion(PARTY, USE.challenge, passkey, answer)).toBeUndefined();
});

test('a sign-in is refused with the key of another passkey, or the handle of another person', async () => {
  const authenticator = new SoftwareAuthenticator();
  const passkey = await registered(authenticator);
  const foreign = new SoftwareAuthenticator().get(USE, ADA);
  expect(
    await verifyAssertion(PARTY, USE.challenge, passkey, { ...foreign, id: passkey.credentialId }),
  ).toBeUndefined();
  const other = authenticator.get(USE, '0192f0c1-0000-7000-8000-000000000002');
  expect(await verifyAssertion(PARTY, USE.challenge, passkey, other)).toBeUndefined();
});

test.each([4, 5])('a sign-in with counter %d after 5 is that of a clone', async (counter) => {
  const authenticator = new SoftwareAuthenticator();
  const passkey = await registered(authenticator, 5);
  authenticator.counter = counter;
  expect(await verifyAssertion(PARTY, USE.challenge, passkey, authenticator.get(USE, ADA))).toBeUndefined();
});
