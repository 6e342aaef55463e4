// The change of the mail address of an account: decision 101, change of address.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { BrokenProvider, linkPerson } from '../openid-providers.ts';
import { mailsTo, type ParsedAnswer, type Person, personWith, readAnswer, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';

const HOUR_MS = 60 * 60 * 1000;
const FOLLOWS_NOT = 'These do not follow the change';
const JSON_TYPE = { 'content-type': 'application/json' };

let world: HubWorld;
let provider: BrokenProvider;
beforeAll(async () => {
  provider = await BrokenProvider.start();
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', ...provider.environment } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const request = (person: Person, email: string) =>
  person.ask('POST', '/auth/email-change', { body: { email } });
const shown = async (person: Person) => (await person.ask('GET', '/auth/email-change')).body;
const addressOf = async (person: Person) => (await person.ask('GET', '/workspace')).body.email;

/** The newest link in a mail to this address that confirms a change of address. */
async function linkIn(email: string): Promise<string> {
  const links = (await mailsTo(world, email)).map(
    ({ text }) => /http\S+\/auth\/email-change\/\S+/.exec(text)?.[0],
  );
  return links.find((one) => one !== undefined) ?? '';
}

/** Sends the form of a link; with a person, in their browser. */
async function decide(link: string, decision: string, person?: Person): Promise<ParsedAnswer> {
  const response = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      origin: world.hub.hubUrl,
      'content-type': 'application/x-www-form-urlencoded',
      ...(person && { cookie: person.cookie }),
    },
    body: `decision=${decision}`,
  });
  return readAnswer(response);
}

const audited = async (person: Person) => {
  const { items } = (await person.ask('GET', '/audit?limit=100')).body as {
    items: { action: string; details: object }[];
  };
  return items.filter(({ action }) => action.startsWith('account.email'));
};

/** A sign-in link that was mailed to the address, not used yet. */
async function mailedSignIn(email: string): Promise<string> {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ email }),
  });
  const [mail] = await mailsTo(world, email);
  return /http\S+\/login\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
}

test('the address changes when both have confirmed, and not before', async () => {
  const ada = await signIn(world, 'ada@example.com');
  expect(await shown(ada)).toEqual({ email: 'ada@example.com', change: null });
  const asked = await request(ada, 'Ada@Example.org');
  expect([asked.status, asked.body]).toMatchObject([
    202,
    { email: 'ada@example.com', change: { new_email: 'Ada@Example.org', old_confirmed: false } },
  ]);
  const [old, fresh] = [await linkIn('ada@example.com'), await linkIn('ada@example.org')];
  const onTheWay = await mailedSignIn('ada@example.com');
  // Opening a link changes nothing, because programs that check mails open links too.
  for (const link of [old, fresh]) expect((await ada.ask('GET', link)).text).toContain(FOLLOWS_NOT);
  expect((await decide(old, 'confirm')).status).toBe(200);
  expect(await shown(ada)).toMatchObject({ change: { old_confirmed: true, new_confirmed: false } });
  expect(await addressOf(ada)).toBe('ada@example.com');
  expect((await decide(old, 'confirm')).status).toBe(410);
  const done = await decide(fresh, 'confirm', ada);
  expect([done.text.includes('Address changed'), done.text.includes(FOLLOWS_NOT)]).toEqual([true, true]);
  expect([await addressOf(ada), await shown(ada)]).toEqual([
    'Ada@Example.org',
    { email: 'Ada@Example.org', change: null },
  ]);
  for (const email of ['ada@example.com', 'ada@example.org'])
    expect((await mailsTo(world, email))[0]?.subject).toBe('The address of your account on svc was changed');
  for (const link of [old, fresh]) expect((await ada.ask('GET', link)).status).toBe(410);
  // A link that was sent earlier signs in to no account, neither this one nor a new one.
  const late = await decide(onTheWay, '');
  expect([late.status, late.headers.get('set-cookie')]).toEqual([410, null]);
  expect(late.text).toContain('another address');
  const back = await signIn(world, 'ada@example.org');
  expect(await addressOf(back)).toBe('Ada@Example.org');
  expect((await audited(ada)).map(({ action, details }) => [action, details])).toEqual([
    ['account.email_changed', { to: 'Ada@Example.org' }],
    ['account.email_change_confirmed', { to: 'Ada@Example.org', address: 'old' }],
    ['account.email_change_asked', { to: 'Ada@Example.org' }],
  ]);
  // The old address is free: the owner of its mailbox may sign up.
  world.clock.move(1);
  const other = await signIn(world, 'ada@example.com');
  expect((await other.ask('GET', '/workspace')).body).toMatchObject({ role: 'owner', username: null });
});

test('an invitation to the address before is withdrawn, and its link makes no account', async () => {
  const [owner, guest] = [await signIn(world, 'lea@example.com'), await signIn(world, 'max@example.com')];
  const invite = (email: string) => owner.ask('POST', '/team/invite', { body: { email, role: 'admin' } });
  expect([(await invite('Max@example.com')).status, (await invite('other@example.com')).status]).toEqual([
    201, 201,
  ]);
  const mails = await mailsTo(world, 'max@example.com');
  const [join] = mails.flatMap(({ text }) => /http\S+\/join\/\S+/.exec(text)?.[0] ?? []);
  await request(guest, 'max@example.org');
  await decide(await linkIn('max@example.com'), 'confirm');
  await decide(await linkIn('max@example.org'), 'confirm', guest);
  const answer = await decide(join ?? '', '');
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([410, null]);
  expect(answer.text).toContain('withdrawn');
  expect((await owner.ask('GET', '/team/members')).body.items).toEqual([]);
  const { items } = (await owner.ask('GET', '/team/invites')).body as { items: object[] };
  expect(items).toMatchObject([{ email: 'other@example.com', status: 'pending' }]);
  // Its mailbox may be invited again, as that of anybody.
  expect((await invite('max@example.com')).status).toBe(201);
});

test('the new address confirms only in a browser that is signed in to the account', async () => {
  const bob = await signIn(world, 'bob@example.com');
  const eve = await signIn(world, 'eve@example.com');
  await request(bob, 'bob@example.org');
  const [old, fresh] = [await linkIn('bob@example.com'), await linkIn('bob@example.org')];
  for (const person of [undefined, eve]) {
    const answer = await decide(fresh, 'confirm', person);
    expect([answer.status, answer.text.includes('/login?to=')]).toEqual([401, true]);
  }
  expect(await shown(bob)).toMatchObject({ change: { new_confirmed: false } });
  // The new address cannot stop it, and it can confirm first.
  expect((await decide(fresh, 'stop', bob)).status).toBe(400);
  expect((await decide(fresh, 'confirm', bob)).status).toBe(200);
  expect((await decide(old, 'confirm')).text).toContain('Address changed');
  expect(await addressOf(bob)).toBe('bob@example.org');
});

test('a sign-in at the provider stays linked to the account, whatever address the provider sends', async () => {
  const kim = await signIn(world, 'kim@example.com');
  provider.person = { sub: 'kim', email: 'kim@example.com', email_verified: true };
  await linkPerson(world.hub.hubUrl, { cookie: kim.cookie, origin: world.hub.hubUrl });
  await request(kim, 'kim@example.org');
  await decide(await linkIn('kim@example.com'), 'confirm');
  await decide(await linkIn('kim@example.org'), 'confirm', kim);
  const browser = new PlainBrowser();
  await browser.open(`${world.hub.hubUrl}/login/oidc`, ({ pathname }) => pathname === '/dashboard');
  const person = personWith(world, '', browser.header(world.hub.hubUrl));
  expect(await addressOf(person)).toBe('kim@example.org');
});

test('the present address stops a change, also after it has confirmed', async () => {
  const carl = await signIn(world, 'carl@example.com');
  await request(carl, 'thief@example.org');
  const [old, fresh] = [await linkIn('carl@example.com'), await linkIn('thief@example.org')];
  await decide(old, 'confirm');
  expect((await decide(old, 'stop')).status).toBe(200);
  for (const link of [old, fresh]) expect((await decide(link, 'confirm', carl)).status).toBe(410);
  expect(await shown(carl)).toEqual({ email: 'carl@example.com', change: null });
  expect((await audited(carl))[0]?.action).toBe('account.email_change_stopped');
  // The person withdraws one, too.
  await request(carl, 'carl@example.org');
  expect((await carl.ask('DELETE', '/auth/email-change')).status).toBe(204);
  expect((await carl.ask('DELETE', '/auth/email-change')).status).toBe(404);
  expect((await decide(await linkIn('carl@example.com'), 'confirm')).status).toBe(410);
});

test('a new request ends the links of the one before', async () => {
  const dora = await signIn(world, 'dora@example.com');
  await request(dora, 'one@example.org');
  const [old, one] = [await linkIn('dora@example.com'), await linkIn('one@example.org')];
  await decide(old, 'confirm');
  await request(dora, 'two@example.org');
  for (const link of [old, one]) expect((await decide(link, 'confirm', dora)).status).toBe(410);
  expect(await shown(dora)).toMatchObject({
    change: { new_email: 'two@example.org', old_confirmed: false, new_confirmed: false },
  });
});

test('an address of another account is not revealed; its owner hears of it', async () => {
  const frank = await signIn(world, 'frank@example.com');
  await signIn(world, 'taken@example.com');
  const known = await request(frank, 'Taken@example.com');
  const knownMail = (await mailsTo(world, 'frank@example.com'))[0]?.text ?? '';
  const unknown = await request(frank, 'fresh@example.com');
  const unknownMail = (await mailsTo(world, 'frank@example.com'))[0]?.text ?? '';
  const shape = ({ status, body }: ParsedAnswer) => [
    status,
    JSON.stringify(body).replaceAll(/(?:taken|fresh)@|\d{4}-\d\d-\d\dT[^"]+/gi, ''),
  ];
  expect(shape(known)).toEqual(shape(unknown));
  const words = (text: string) => text.replaceAll(/(?:taken|fresh)@|email-change\/\S+/gi, '');
  expect(words(knownMail)).toBe(words(unknownMail));
  const [mail] = await mailsTo(world, 'taken@example.com');
  expect(mail?.subject).toBe('Your address was asked for on svc');
  expect(mail?.text).not.toContain('/auth/email-change/');
  expect(mail?.text).not.toContain('frank');
  expect((await request(frank, 'FRANK@example.com')).status).toBe(400);
  // `svc up` finds its account by its address.
  expect((await request(await signIn(world, 'operator@localhost'), 'ops@example.com')).status).toBe(403);
});

test('an address that gets an account meanwhile stays with that account', async () => {
  const gus = await signIn(world, 'gus@example.com');
  await request(gus, 'race@example.org');
  const [old, fresh] = [await linkIn('gus@example.com'), await linkIn('race@example.org')];
  await signIn(world, 'race@example.org');
  await decide(fresh, 'confirm', gus);
  const last = await decide(old, 'confirm');
  expect([last.status, last.text.includes('has an account')]).toEqual([409, false]);
  expect((await mailsTo(world, 'race@example.org'))[0]?.subject).toBe('Your address was asked for on svc');
  expect(await addressOf(gus)).toBe('gus@example.com');
  expect((await audited(gus))[0]?.action).toBe('account.email_change_failed');
  expect((await decide(fresh, 'confirm', gus)).status).toBe(410);
});

test('of two accounts that want one address, the first whose addresses confirm gets it', async () => {
  const [hal, ida] = [await signIn(world, 'hal@example.com'), await signIn(world, 'ida@example.com')];
  await request(hal, 'both@example.org');
  const ofHal = [await linkIn('hal@example.com'), await linkIn('both@example.org')] as const;
  await request(ida, 'both@example.org');
  const ofIda = [await linkIn('ida@example.com'), await linkIn('both@example.org')] as const;
  await decide(ofHal[0], 'confirm');
  await decide(ofIda[0], 'confirm');
  const outcomes = await Promise.all([decide(ofHal[1], 'confirm', hal), decide(ofIda[1], 'confirm', ida)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409]);
  const addresses = [await addressOf(hal), await addressOf(ida)];
  expect(addresses.filter((one) => one === 'both@example.org')).toHaveLength(1);
});

test('a link expires after a day, and no access token asks for a change', async () => {
  const joy = await signIn(world, 'joy@example.com');
  await request(joy, 'joy@example.org');
  const [old, fresh] = [await linkIn('joy@example.com'), await linkIn('joy@example.org')];
  const made = await joy.ask('POST', '/tokens', { body: { name: 'laptop' } });
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await fetch(`${world.hub.hubUrl}/auth/email-change`, {
      method,
      headers: { ...JSON_TYPE, authorization: `Bearer ${String(made.body.access_token)}` },
      ...(method === 'POST' && { body: JSON.stringify({ email: 'x@example.org' }) }),
    });
    expect([method, response.status]).toEqual([method, 401]);
  }
  world.clock.move(24 * HOUR_MS);
  for (const link of [old, fresh]) expect((await decide(link, 'confirm', joy)).status).toBe(410);
  expect(await shown(joy)).toEqual({ email: 'joy@example.com', change: null });
  const unknown = `${world.hub.hubUrl}/auth/email-change/${'x'.repeat(64)}`;
  expect((await joy.ask('GET', unknown)).status).toBe(404);
  // The token of one address is not valid for the other address, nor for a sign-in.
  expect((await joy.ask('GET', old.replace('/auth/email-change/', '/login/'))).status).toBe(404);
});
