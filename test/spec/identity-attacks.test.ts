// Attacks on sign-in and accounts that a review of the code looked for (issue 23). Each was seen to succeed before it was mended.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { unlessOlder } from '../beside/beside.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET, linkPerson, openIdSettings } from '../openid-providers.ts';
import { beginPasskey } from '../passkeys.ts';
import { linkTo, mailsTo, type Person, personWith, readAnswer, signIn } from '../people.ts';
import { type Opened, PlainBrowser } from '../plain-browser.ts';

const MINUTE_MS = 60_000;
const withWorkspaceProvider = unlessOlder('0038', 'a workspace gets no provider while an earlier hub runs');
const isDashboard = ({ pathname }: URL) => pathname.startsWith('/dashboard');

let world: HubWorld;
let provider: BrokenProvider;
let ada: Person;
let acme: string;

const url = (path: string) => `${world.hub.hubUrl}${path}`;
const email = () => String(provider.person.email);

beforeAll(async () => {
  provider = await BrokenProvider.start();
  world = await hubWorld({
    env: {
      SVC_RATE_LIMITS: 'off',
      SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32',
      ...openIdSettings(provider.issuer),
      SVC_OIDC_GROUPS_CLAIM: 'groups',
      SVC_OIDC_GROUPS_WORKSPACES: '*',
    },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(async () => {
  provider.fault = {};
  const id = crypto.randomUUID().slice(0, 8);
  provider.person = {
    sub: `lin-${id}@example.com`,
    email: `lin-${id}@example.com`,
    email_verified: true,
    groups: [],
  };
  acme = `acme-${id}`;
  ada = await signIn(world, `ada-${id}@example.com`);
  expect((await ada.ask('PUT', '/workspace/username', { body: { username: acme } })).status).toBe(200);
});

async function nameProvider(isRequired = false): Promise<void> {
  const body = {
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    name: 'Example & Sons',
    required: isRequired,
  };
  expect((await ada.ask('PUT', '/workspace/sign-in-provider', { body })).status).toBe(200);
}

/** A member of the workspace by hand. */
async function member(address: string): Promise<Person> {
  const person = await signIn(world, address);
  await ada.ask('POST', '/team/invite', { body: { email: address, role: 'member' } });
  expect((await person.ask('POST', new URL(await linkTo(world, address)).pathname)).status).toBe(200);
  return person;
}

async function idOf({ email: address }: Person): Promise<string> {
  const { items } = (await ada.ask('GET', '/team/members')).body as {
    items: { id: string; email: string }[];
  };
  return items.find((one) => one.email === address)?.id ?? '';
}

function browserOf(person: Pick<Person, 'cookie'>): PlainBrowser {
  const browser = new PlainBrowser();
  browser.addCookies(world.hub.hubUrl, person.cookie);
  return browser;
}

/** Signs a member in at the provider of the workspace, after they have linked it. */
async function comeFromProvider(): Promise<Person> {
  await member(email());
  const browser = new PlainBrowser();
  const come = () => browser.open(url(`/login/workspace/${acme}`), isDashboard);
  const page = await come();
  await browser.submit(page, {});
  const link = await browser.submit(await browser.open(await linkTo(world, email())), {});
  await browser.submit(link, {});
  expect((await come()).url.pathname).toBe('/dashboard');
  return personWith(world, '', browser.header(world.hub.hubUrl));
}

describe('a program that a person has connected, and that has not asked for its token yet', () => {
  const post = async (path: string, body: object) =>
    readAnswer(
      await fetch(url(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  /** The code with which the program asks. */
  async function connect(person: Person): Promise<string> {
    const { device_code: code, user_code: userCode } = (await post('/auth/device', {})).body;
    const browser = browserOf(person);
    const page = await browser.open(url(`/device?user_code=${userCode}`));
    const option = new RegExp(`<option value="([^"]+)"[^>]*>${acme}<`).exec(page.text)?.[1];
    const workspace = option ?? /name="workspace" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const decided = await browser.submit(page, { workspace, decision: 'approve' });
    expect(decided.status).toBe(200);
    return String(code);
  }
  const ask = async (code: string) => {
    const { status, body } = await post('/auth/device/token', { device_code: code });
    return [status, body.error];
  };

  test('gets none after they sign out everywhere', async () => {
    const code = await connect(ada);
    expect((await ada.ask('POST', '/auth/logout/everywhere')).status).toBe(204);
    expect(await ask(code)).toEqual([400, 'access_denied']);
  });

  test('gets none by a session that ends in this moment', async () => {
    const begun = await Promise.all(Array.from({ length: 30 }, () => post('/auth/device', {})));
    const workspace = /name="workspace" value="([^"]+)"/.exec(
      (await browserOf(ada).open(url(`/device?user_code=${begun[0]?.body.user_code}`))).text,
    )?.[1];
    let ended: Promise<{ status: number }> | undefined;
    const deciding = begun.map(({ body }, at) => {
      if (at === 5) ended = ada.ask('POST', '/auth/logout/everywhere');
      const fields = { user_code: String(body.user_code), workspace: workspace ?? '', decision: 'approve' };
      return browserOf(ada).open(url('/device'), () => false, new URLSearchParams(fields));
    });
    expect((await ended)?.status).toBe(204);
    await Promise.all(deciding);
    const answers = await Promise.all(begun.map(({ body }) => ask(String(body.device_code))));
    expect(answers.filter(([status]) => status === 200)).toEqual([]);
  });

  test('gets none after they lost their role, also where they have it again', async () => {
    const lin = await member(email());
    const code = await connect(lin);
    const id = await idOf(lin);
    for (const role of ['viewer', 'member'])
      expect((await ada.ask('PATCH', `/team/members/${id}`, { body: { role } })).status).toBe(200);
    expect(await ask(code)).toEqual([400, 'access_denied']);
  });

  withWorkspaceProvider('gets none where only sign-ins at the provider count by now', async () => {
    const lin = await member(email());
    const code = await connect(lin);
    await nameProvider(true);
    expect(await ask(code)).toEqual([400, 'access_denied']);
  });

  withWorkspaceProvider('gets none after the provider of the workspace has ended their session', async () => {
    await nameProvider();
    const lin = await comeFromProvider();
    const code = await connect(lin);
    const token = await provider.logoutToken({
      iat: Math.floor(world.clock.nowMs() / 1000),
      sub: email(),
    });
    const body = new URLSearchParams({ logout_token: token });
    expect((await fetch(url(`/login/workspace/${acme}/logout`), { method: 'POST', body })).status).toBe(200);
    expect(await ask(code)).toEqual([400, 'access_denied']);
  });
});

withWorkspaceProvider(
  'no access token comes into being while a workspace begins to demand its provider',
  async () => {
    await nameProvider();
    const lin = await member(email());
    const tokens: string[] = [];
    const make = async () => {
      const { status, body } = await lin.ask('POST', '/auth/token', { workspace: acme });
      if (status === 200) tokens.push(String(body.access_token));
    };
    await make();
    expect(tokens).toHaveLength(1);
    const demanded = nameProvider(true);
    let isOver = false;
    void demanded.then(() => (isOver = true));
    const ask = async () => {
      while (!isOver) await make();
    };
    await Promise.all([demanded, ...Array.from({ length: 30 }, ask)]);
    const used = tokens.map((token) =>
      fetch(url('/workspace'), { headers: { authorization: `Bearer ${token}` } }),
    );
    const statuses = (await Promise.all(used)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 401)).toEqual([]);
  },
);

test('a person who leaves while they get a grant begins without it when they come back', async () => {
  const lin = await member(email());
  const id = await idOf(lin);
  let isOver = false;
  const grant = { grantee_kind: 'member', grantee: id, endpoints: ['backup'], can: ['run'] };
  const give = async () => {
    while (!isOver) await ada.ask('POST', '/team/endpoint-grants', { body: grant });
  };
  const given = Array.from({ length: 20 }, give);
  expect((await ada.ask('DELETE', `/team/members/${id}`)).status).toBe(204);
  isOver = true;
  await Promise.all(given);
  await member(email());
  expect((await ada.ask('GET', '/team/endpoint-grants')).body.items).toEqual([]);
});

describe('an address with the Kelvin sign, which is the letter k in lower case', () => {
  const typed = () => `\u212Aate-${acme}@example.com`;
  const toTyped = async () => (await mailsTo(world, typed())).filter(({ to }) => to === typed());

  test('gets no link to the account of the address with a k', async () => {
    await signIn(world, `kate-${acme}@example.com`);
    const asked = await fetch(url('/auth/magic-link'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: typed() }),
    });
    expect([asked.status, await toTyped()]).toEqual([400, []]);
    const form = new URLSearchParams({ email: typed() });
    const page = await new PlainBrowser().open(url('/login'), () => false, form);
    expect([page.status, await toTyped()]).toEqual([400, []]);
  });

  test('gets no invitation, and no account by a provider', async () => {
    const body = { email: typed(), role: 'member' };
    expect((await ada.ask('POST', '/team/invite', { body })).status).toBe(400);
    provider.person = { ...provider.person, email: typed() };
    expect((await new PlainBrowser().open(url('/login/oidc'), isDashboard)).status).toBe(400);
    expect(await toTyped()).toEqual([]);
  });
});

test('a session that ends in this moment adds no passkey', async () => {
  await using local = await hubWorld({ env: { SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off' } });
  const thief = await signIn(local, 'kim@example.com');
  const begun = await Promise.all(
    Array.from({ length: 15 }, () => beginPasskey(local, thief, '/auth/passkeys/challenge')),
  );
  const adding = begun.map((each) => {
    const { clientData, ...made } = new SoftwareAuthenticator().create(each);
    const body = { ...made, client_data: clientData, name: 'Laptop' };
    return each.person.ask('POST', '/auth/passkeys', { body });
  });
  expect((await thief.ask('POST', '/auth/logout/everywhere')).status).toBe(204);
  await Promise.all(adding);
  const kim = await signIn(local, 'kim@example.com');
  const { items } = (await kim.ask('GET', '/audit?limit=100')).body as { items: { action: string }[] };
  const actions = items.map(({ action }) => action);
  expect(actions.slice(0, actions.indexOf('account.signed_out_everywhere'))).toEqual(['account.signed_in']);
});

describe('a page of another site', () => {
  const startFrom = (site: string) =>
    fetch(url(`/login/workspace/${acme}`), { redirect: 'manual', headers: { 'sec-fetch-site': site } });

  withWorkspaceProvider('cannot sign its visitor in at the provider of its own workspace', async () => {
    await nameProvider();
    for (const site of ['cross-site', 'same-site']) {
      const page = await startFrom(site);
      expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null]);
      // The person decides with a link of this page.
      expect(await page.text()).toContain(`href="/login/workspace/${acme}"`);
    }
    for (const site of ['same-origin', 'none']) expect((await startFrom(site)).status).toBe(303);
  });
});

describe('a sign-in that its person unlinks', () => {
  async function linked(): Promise<{ person: Person; id: string }> {
    const person = await signIn(world, email());
    await linkPerson(world.hub.hubUrl, { cookie: person.cookie, origin: world.hub.hubUrl });
    const { items } = (await person.ask('GET', '/auth/identities')).body as { items: { id: string }[] };
    return { person, id: items[0]?.id ?? '' };
  }
  async function come(): Promise<Person> {
    const browser = new PlainBrowser();
    const arrived: Opened = await browser.open(url('/login/oidc'), isDashboard);
    expect(arrived.url.pathname).toBe('/dashboard');
    return personWith(world, '', browser.header(world.hub.hubUrl));
  }

  test('ends its sessions with it, and no other', async () => {
    const { person, id } = await linked();
    const thief = await come();
    expect((await person.ask('DELETE', `/auth/identities/${id}`)).status).toBe(204);
    expect((await person.ask('GET', '/workspace')).status).toBe(200);
    expect((await thief.ask('GET', '/workspace')).status).toBe(401);
  });

  test('leaves no session of the hub behind that begins meanwhile', () => leavesNone(true));
  withWorkspaceProvider('leaves no session of a workspace behind that begins meanwhile', () =>
    leavesNone(false),
  );

  async function leavesNone(isHub: boolean): Promise<void> {
    let person: Person;
    if (isHub) ({ person } = await linked());
    else {
      await nameProvider();
      await comeFromProvider();
      person = await signIn(world, email());
    }
    const { items } = (await person.ask('GET', '/auth/identities')).body as { items: { id: string }[] };
    const start = url(isHub ? '/login/oidc' : `/login/workspace/${acme}`);
    const browsers = Array.from({ length: 30 }, () => new PlainBrowser());
    const returns = await Promise.all(
      browsers.map(
        async (browser) => (await browser.open(start, ({ pathname }) => pathname.endsWith('/callback'))).url,
      ),
    );
    const arrived = browsers.map((browser, at) => browser.open(returns[at]?.href ?? '', isDashboard));
    await Promise.race(arrived);
    expect((await person.ask('DELETE', `/auth/identities/${items[0]?.id}`)).status).toBe(204);
    await Promise.all(arrived);
    const sessions = browsers.map((browser) => personWith(world, '', browser.header(world.hub.hubUrl)));
    const statuses = await Promise.all(
      sessions.map(async (one) => (await one.ask('GET', '/workspace')).status),
    );
    expect(statuses.filter((status) => status !== 401)).toEqual([]);
  }

  withWorkspaceProvider('ends those for a workspace, too', async () => {
    await nameProvider();
    const thief = await comeFromProvider();
    const person = await signIn(world, email());
    const { items } = (await person.ask('GET', '/auth/identities')).body as {
      items: { id: string; workspace: string }[];
    };
    expect(items.map(({ workspace }) => workspace)).toEqual([acme]);
    expect((await thief.ask('GET', '/workspace')).status).toBe(200);
    expect((await person.ask('DELETE', `/auth/identities/${items[0]?.id}`)).status).toBe(204);
    expect((await thief.ask('GET', '/workspace')).status).toBe(401);
    expect((await person.ask('GET', '/workspace')).status).toBe(200);
  });

  test('proves no groups any more, in the session that unlinked it', async () => {
    await member(email());
    await ada.ask('POST', '/endpoints', { body: { name: 'backup', command: 'true' } });
    await ada.ask('PUT', '/team/endpoint-access', { body: { access: 'by_grants' } });
    const grant = { grantee_kind: 'group', grantee: 'lead', endpoints: ['backup'], can: ['run'] };
    expect((await ada.ask('POST', '/team/endpoint-grants', { body: grant })).status).toBe(201);
    const { id } = await linked();
    provider.person = { ...provider.person, groups: ['lead'] };
    const session = await come();
    const seen = async () =>
      ((await session.ask('GET', '/endpoints', { workspace: acme })).body.items as unknown[]).length;
    expect(await seen()).toBe(1);
    expect((await session.ask('DELETE', `/auth/identities/${id}`)).status).toBe(204);
    expect(await seen()).toBe(0);
    const before = provider.refreshes;
    world.clock.standStill(16 * MINUTE_MS);
    await world.clock.settled();
    expect([await seen(), provider.refreshes - before]).toEqual([0, 0]);
  });
});
