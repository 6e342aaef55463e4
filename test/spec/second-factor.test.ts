// The second factor of an account (decision 100, second factor), with an authenticator made of bytes.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { failureOf } from '@svc/hub/platform/db/fixtures/failure-of';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { BrokenProvider, linkPerson } from '../openid-providers.ts';
import { addPasskey, beginPasskey, passkeyAnswer } from '../passkeys.ts';
import { linkTo, mailTo, type Person, personWith, sessionIn, signIn } from '../people.ts';
import {
  cookiesIn,
  openLink,
  sendFactor,
  sendPasskey,
  signedInBy,
  switchOn,
  userIdOf,
} from '../second-factor.ts';

const EMAIL = 'ada@example.com';
const ASKS = '/login/second-factor';

let provider: BrokenProvider;
let world: HubWorld;
let ada: Person;
let adaId: string;
let key: SoftwareAuthenticator;
let codes: string[];

beforeAll(async () => {
  provider = await BrokenProvider.start();
});
afterAll(() => provider[Symbol.asyncDispose]());

beforeEach(async () => {
  const env = { SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off', ...provider.environment };
  world = await hubWorld({ env });
  ada = await signIn(world, EMAIL);
  adaId = await userIdOf(ada);
  key = new SoftwareAuthenticator();
  await addPasskey(world, ada, key);
  codes = await switchOn(world, ada, key);
});
afterEach(() => world[Symbol.asyncDispose]());

const url = (path: string) => `${world.hub.hubUrl}${path}`;
const isIn = async (person: Person) => (await person.ask('GET', '/workspace')).status === 200;
const factorOf = async (person: Person) => (await person.ask('GET', '/auth/second-factor')).body;
const actionsOf = async (person: Person) =>
  ((await person.ask('GET', '/audit')).body.items as { action: string; details: object }[]).map(
    ({ action, details }) => ({ action, details }),
  );
const code = () => codes.pop() ?? '';

describe('a sign-in with a link', () => {
  test('brings no session, and a passkey brings it', async () => {
    const { response, person } = await openLink(world, EMAIL);
    expect([response.status, response.headers.get('location'), sessionIn(response)]).toEqual([303, ASKS, '']);
    const asked = await person.ask('GET', ASKS);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Continue with a passkey')]);
    for (const path of ['/workspace', '/auth/sessions', '/auth/second-factor', '/endpoints'])
      expect([path, (await person.ask('GET', path)).status]).toEqual([path, 401]);
    expect((await person.ask('POST', '/auth/token')).status).toBe(401);

    const confirmed = await sendPasskey(world, person, key, adaId);
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/dashboard']);
    const again = signedInBy(world, EMAIL, confirmed);
    expect(await isIn(again)).toBe(true);
    expect((await actionsOf(again)).slice(0, 2)).toEqual([
      { action: 'account.signed_in', details: { second_factor: 'passkey', passkey: 'Laptop' } },
      { action: 'account.second_factor_asked', details: {} },
    ]);
    expect([await isIn(person), (await person.ask('GET', ASKS)).status]).toEqual([false, 410]);
  });

  test('is confirmed by a recovery code, once, without scripts', async () => {
    const used = code();
    const { person } = await openLink(world, EMAIL);
    const confirmed = await sendFactor(world, person, {
      code: ` ${used.toUpperCase().replaceAll('-', ' ')} `,
    });
    expect(confirmed.status).toBe(303);
    const again = signedInBy(world, EMAIL, confirmed);
    expect(await factorOf(again)).toMatchObject({ on: true, recovery_codes_left: 9 });
    expect((await actionsOf(again))[0]).toEqual({
      action: 'account.recovery_code_used',
      details: { for: 'sign_in', left: 9 },
    });
    expect(await mailTo(world, EMAIL)).toMatchObject({
      subject: 'A recovery code of your svc account was used',
      text: expect.stringContaining('9 codes are left'),
    });

    const second = await openLink(world, EMAIL);
    const refused = await sendFactor(world, second.person, { code: used });
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('this recovery code is not valid, or was used already'),
    ]);
    expect((await sendFactor(world, second.person, { code: code() })).status).toBe(303);
  });

  test('gives one session for one code that is sent twice at the same moment', async () => {
    const used = code();
    const browsers = [await openLink(world, EMAIL), await openLink(world, EMAIL)];
    const answers = await Promise.all(
      browsers.map(({ person }) => sendFactor(world, person, { code: used })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  test('gives one session, though two codes are sent for it at the same moment', async () => {
    const { person } = await openLink(world, EMAIL);
    const answers = await Promise.all(
      [code(), code()].map((one) => sendFactor(world, person, { code: one })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
    const [session] = answers.filter(({ status }) => status === 303);
    const again = signedInBy(world, EMAIL, session as Response);
    // The code of the sign-in that lost is not used up.
    expect(await factorOf(again)).toMatchObject({ recovery_codes_left: 9 });
  });

  test('leads to the page that the person wanted', async () => {
    const form = await fetch(url('/login'), {
      method: 'POST',
      headers: { origin: world.hub.hubUrl, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: EMAIL, to: '/dashboard/team' }).toString(),
    });
    const linked = await postForm(await linkTo(world, EMAIL), { cookie: cookiesIn(form) });
    const cookie = `${cookiesIn(form)}; ${cookiesIn(linked)}`;
    const confirmed = await sendFactor(world, { cookie }, { code: code() });
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/dashboard/team']);
  });

  test('keeps the session of before until the factor is proved, and ends it then', async () => {
    const { person } = await openLink(world, EMAIL, ada.cookie);
    expect(await isIn(ada)).toBe(true);
    const confirmed = await sendFactor(
      world,
      { cookie: `${ada.cookie}; ${person.cookie}` },
      { code: code() },
    );
    expect([confirmed.status, await isIn(ada)]).toEqual([303, false]);
  });

  test('has ended after ten minutes, and when the person signs out everywhere', async () => {
    const late = await openLink(world, EMAIL);
    world.clock.move(10 * 60_000);
    expect((await sendFactor(world, late.person, { code: code() })).status).toBe(410);
    const ended = await openLink(world, EMAIL);
    expect((await ada.ask('POST', '/auth/logout/everywhere')).status).toBe(204);
    expect((await sendFactor(world, ended.person, { code: code() })).status).toBe(410);
  });

  test('gives no access token, and stays usable in a browser', async () => {
    await fetch(url('/auth/magic-link'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: EMAIL }),
    });
    const link = await linkTo(world, EMAIL);
    const answer = await personWith(world, EMAIL, '').ask('POST', '/auth/token', {
      body: { token: link.split('/').at(-1) },
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'second_factor_required']);
    expect(answer.body.error).toContain('svc login');
    expect((await postForm(link)).headers.get('location')).toBe(ASKS);
  });
});

describe('nothing else confirms a sign-in', () => {
  test('a passkey of another person, or one without verification, or a challenge of another sign-in', async () => {
    const { person } = await openLink(world, EMAIL);
    const stranger = new SoftwareAuthenticator();
    const eve = await signIn(world, 'eve@example.com');
    await addPasskey(world, eve, stranger);
    expect((await sendPasskey(world, person, stranger, await userIdOf(eve))).status).toBe(401);
    const begun = await beginPasskey(world, person, `${ASKS}/challenge`);
    const unverified = passkeyAnswer(key, { ...begun, flags: 0x01 }, adaId);
    expect((await sendFactor(world, begun.person, unverified)).status).toBe(401);
    const other = await openLink(world, EMAIL);
    const [challenge = ''] = begun.person.cookie.match(/svc_second_factor=[^;]*/) ?? [];
    const mixed = { cookie: `${other.person.cookie}; ${challenge}` };
    expect((await sendFactor(world, mixed, passkeyAnswer(key, begun, adaId))).status).toBe(410);
  });

  test('a code of another person, a wrong code, a form of another site', async () => {
    const eve = await signIn(world, 'eve@example.com');
    const stranger = new SoftwareAuthenticator();
    await addPasskey(world, eve, stranger);
    const [foreign = ''] = await switchOn(world, eve, stranger);
    const { person } = await openLink(world, EMAIL);
    for (const wrong of [foreign, '', '0000-0000-0000-0000'])
      expect((await sendFactor(world, person, { code: wrong })).status).toBe(401);
    const sent = await fetch(url(ASKS), {
      method: 'POST',
      headers: {
        cookie: person.cookie,
        origin: 'https://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `code=${code()}`,
    });
    expect([sent.status, cookiesIn(sent)]).toEqual([403, '']);
    expect((await sendFactor(world, { cookie: '' }, { code: code() })).status).toBe(410);
  });

  test('the token of a pending session is no session', async () => {
    const { person } = await openLink(world, EMAIL);
    const [, token = ''] = /svc_pending_session=([^;]*)/.exec(person.cookie) ?? [];
    expect(token).toStartWith('svc_pat_');
    expect(await isIn(personWith(world, EMAIL, `svc_session=${token}`))).toBe(false);
    const bearer = await fetch(url('/workspace'), { headers: { authorization: `Bearer ${token}` } });
    expect(bearer.status).toBe(401);
  });
});

test('a sign-in with a passkey proves both factors', async () => {
  const begun = await beginPasskey(world, personWith(world, EMAIL, ''), '/login/passkey/challenge');
  const response = await fetch(url('/login/passkey'), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: begun.person.cookie,
      origin: world.hub.hubUrl,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(passkeyAnswer(key, begun, adaId)).toString(),
  });
  expect([response.status, await isIn(signedInBy(world, EMAIL, response))]).toEqual([303, true]);
});

test('a sign-in at the provider of the hub asks for the factor too, and a session is ended by the provider', async () => {
  provider.person = { sub: 'ada', email: EMAIL, email_verified: true };
  await linkPerson(world.hub.hubUrl, { cookie: ada.cookie, origin: world.hub.hubUrl });
  const begun = await fetch(url('/login/oidc'), { redirect: 'manual' });
  const at = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const returned = await fetch(at.headers.get('location') ?? '', {
    redirect: 'manual',
    headers: { cookie: cookiesIn(begun) },
  });
  expect([returned.status, returned.headers.get('location'), sessionIn(returned)]).toEqual([303, ASKS, '']);
  const person = personWith(world, EMAIL, cookiesIn(returned));
  expect(await isIn(person)).toBe(false);
  const confirmed = await sendPasskey(world, person, key, adaId);
  expect(await isIn(signedInBy(world, EMAIL, confirmed))).toBe(true);
});

describe('the factor of an account', () => {
  test('is switched on with a passkey only, which ends the other sessions, and the person gets a mail', async () => {
    const eve = await signIn(world, 'eve@example.com');
    const other = await signIn(world, 'eve@example.com');
    const pat = await eve.ask('PUT', '/auth/second-factor', { body: { recovery_code: 'x' } });
    expect(pat.status).toBe(400);
    const stranger = new SoftwareAuthenticator();
    const begun = await beginPasskey(world, eve, '/auth/second-factor/challenge');
    const foreign = passkeyAnswer(stranger, begun, await userIdOf(eve));
    const refused = await begun.person.ask('PUT', '/auth/second-factor', { body: { passkey: foreign } });
    expect([refused.status, refused.body.details]).toEqual([403, { reason: 'bad_passkey' }]);
    await addPasskey(world, eve, stranger);
    const made = await switchOn(world, eve, stranger);
    expect([made.length, new Set(made).size]).toEqual([10, 10]);
    expect([await isIn(eve), await isIn(other)]).toEqual([true, false]);
    const mail = await mailTo(world, 'eve@example.com');
    expect(mail.subject).toContain('has a second factor now');
    // A person who is locked out cannot sign in to see the account.
    expect(mail.text).toContain('If this was not you, ask the operator of this hub at once.');
    expect(mail.text).not.toContain('sign out everywhere');
    expect((await failureOf(switchOn(world, eve, stranger))).message).toContain('is on already');
  });

  test('takes each challenge once', async () => {
    const begun = await beginPasskey(world, ada, '/auth/second-factor/challenge');
    const body = { passkey: passkeyAnswer(key, begun, adaId) };
    const ask = () => begun.person.ask('POST', '/auth/second-factor/recovery-codes', { body });
    expect((await ask()).status).toBe(200);
    expect([(await ask()).status, (await ask()).body.code]).toEqual([410, 'link_used']);
  });

  test('has new codes, of which those of before are none', async () => {
    const made = await ada.ask('POST', '/auth/second-factor/recovery-codes', {
      body: { recovery_code: code() },
    });
    expect(await factorOf(ada)).toMatchObject({ recovery_codes_left: 10 });
    const { person } = await openLink(world, EMAIL);
    expect((await sendFactor(world, person, { code: code() })).status).toBe(401);
    const [fresh = ''] = made.body.recovery_codes as string[];
    expect((await sendFactor(world, person, { code: fresh })).status).toBe(303);
  });

  test('is switched off with a code or a passkey, and a link is enough then', async () => {
    const off = '/auth/second-factor/off';
    for (const body of [{}, { recovery_code: '0000-0000-0000-0000' }, { recovery_code: code(), passkey: {} }])
      expect((await ada.ask('POST', off, { body })).status).not.toBe(204);
    expect((await ada.ask('POST', off, { body: { recovery_code: code() } })).status).toBe(204);
    expect(await factorOf(ada)).toMatchObject({ on: false, since: null, recovery_codes_left: 0 });
    expect((await mailTo(world, EMAIL)).subject).toContain('no second factor any more');
    const again = await signIn(world, EMAIL);
    expect(await isIn(again)).toBe(true);
    expect((await ada.ask('POST', off, { body: { recovery_code: code() } })).status).toBe(403);
  });

  test('keeps the last passkey, and gives up others', async () => {
    const passkeys = async () => (await ada.ask('GET', '/auth/passkeys')).body.items as { id: string }[];
    const [first] = await passkeys();
    const refused = await ada.ask('DELETE', `/auth/passkeys/${first?.id}`);
    expect([refused.status, refused.body.details, refused.body.error]).toEqual([
      403,
      { reason: 'last_passkey' },
      expect.stringContaining('add another passkey first, or switch the second factor off'),
    ]);
    expect(await passkeys()).toHaveLength(1);
    await addPasskey(world, ada, new SoftwareAuthenticator(), 'Phone');
    const all = await passkeys();
    const removed = await Promise.all(all.map(({ id }) => ada.ask('DELETE', `/auth/passkeys/${id}`)));
    expect(removed.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  test('is switched off by the operator for a person who has lost everything, who gets a mail', async () => {
    const reset = () => world.admin((it) => it.resetSecondFactor(EMAIL));
    await reset();
    // Ids of one millisecond are in order only where one clock makes them all; the operator has another one.
    world.clock.move(1_000);
    // The thief who switched it on had a session and a passkey, and a passkey counts for both factors.
    expect(await isIn(ada)).toBe(false);
    const mail = await mailTo(world, EMAIL);
    expect(mail.subject).toContain('no second factor any more');
    expect(mail.text).toContain('removed your passkeys');
    const again = await signIn(world, EMAIL);
    expect(await isIn(again)).toBe(true);
    expect((await again.ask('GET', '/auth/passkeys')).body.items).toEqual([]);
    expect((await actionsOf(again))[1]).toEqual({
      action: 'account.second_factor_off',
      details: { proved_by: 'operator' },
    });
    expect(await failureOf(reset())).toMatchObject({ code: 'not_found' });
  });

  test('is no business of access tokens', async () => {
    const token = (await ada.ask('POST', '/tokens')).body.access_token as string;
    for (const [method, path] of [
      ['GET', '/auth/second-factor'],
      ['PUT', '/auth/second-factor'],
      ['POST', '/auth/second-factor/off'],
      ['POST', '/auth/second-factor/recovery-codes'],
    ] as const) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(url(path), { method, headers })).status).toBe(401);
    }
  });
});

test('wrong codes are limited for the account, whatever address they come from', async () => {
  const env = { SVC_HOST: 'localhost', SVC_TRUSTED_PROXIES: '127.0.0.1,::1' };
  await using limited = await hubWorld({ env });
  const lin = await signIn(limited, 'lin@example.com');
  const authenticator = new SoftwareAuthenticator();
  await addPasskey(limited, lin, authenticator);
  const [right = ''] = await switchOn(limited, lin, authenticator);
  limited.clock.move(60_000);
  const { person } = await openLink(limited, lin.email);
  const from = (address: string, typed: string) =>
    sendFactor(limited, person, { code: typed }, { 'x-forwarded-for': address });
  const statuses: number[] = [];
  for (let at = 1; at <= 12; at += 1) statuses.push((await from(`198.51.100.${at}`, 'x')).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  const late = await from('198.51.100.99', right);
  expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true]);
  limited.clock.move(60_000);
  expect((await from('198.51.100.99', right)).status).toBe(303);
});
