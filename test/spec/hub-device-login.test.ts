// Programs sign in with a code that a person confirms in a browser (RFC 8628, decision 34, links that act, and decision 44,
// sign-in).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

const post = (path: string, body: unknown) =>
  fetch(`${world.hub.hubUrl}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

const begin = async (clientName = 'svc on build-1') =>
  (await (await post('/auth/device', { client_name: clientName })).json()) as Begun;

async function poll({ device_code }: Pick<Begun, 'device_code'>): Promise<Record<string, unknown>> {
  const response = await post('/auth/device/token', { device_code });
  return { status: response.status, ...((await response.json()) as object) };
}

/** The part of a browser that a page without scripts needs: it keeps cookies and sends the origin of its forms. */
class Browser {
  readonly cookies = new Map<string, string>();

  get(path: string): Promise<Response> {
    return this.#send(path, {});
  }

  submit(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response> {
    const from = headers ?? { origin: world.hub.hubUrl };
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers: from });
  }

  async #send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, world.hub.hubUrl), {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, ...(cookie === '' ? {} : { cookie }) },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/);
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}

/** The link in the newest mail. */
async function mailedLink(): Promise<string> {
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  return /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
}

async function signedIn(email = 'ada@example.com'): Promise<Browser> {
  const browser = new Browser();
  await post('/auth/magic-link', { email });
  await browser.submit(await mailedLink(), {});
  return browser;
}

/** The page of this code, and what its form holds. */
async function confirmation(browser: Browser, userCode: string) {
  const response = await browser.get(`/device?user_code=${encodeURIComponent(userCode)}`);
  const html = await response.text();
  const workspace = /name="workspace" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const code = /name="user_code" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return { status: response.status, html, fields: { user_code: code, workspace } };
}

async function decide(browser: Browser, userCode: string, decision: 'approve' | 'deny') {
  const { fields } = await confirmation(browser, userCode);
  return browser.submit('/device', { ...fields, decision });
}

test('a person without a session is led through the mail and back, and reading a page decides nothing', async () => {
  const begun = await begin();
  expect(begun).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
    verification_uri: `${world.hub.hubUrl}/device`,
    verification_uri_complete: `${world.hub.hubUrl}/device?user_code=${begun.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  const browser = new Browser();
  const first = await confirmation(browser, begun.user_code);
  expect([first.status, first.fields.user_code]).toEqual([401, begun.user_code]);
  const fields = { email: 'ada@example.com', user_code: begun.user_code };
  expect((await browser.submit('/device/sign-in', fields)).status).toBe(202);
  const back = await browser.submit(await mailedLink(), {});
  expect([back.status, back.headers.get('location')]).toEqual([303, `/device?user_code=${begun.user_code}`]);
  expect([...browser.cookies.keys()]).toEqual(['svc_session']);

  const page = await confirmation(browser, begun.user_code);
  for (const shown of ['ada@example.com', begun.user_code, 'svc on build-1'])
    expect(page.html).toContain(shown);
  expect(await poll(begun)).toMatchObject({ status: 400, error: 'authorization_pending' });
  expect((await decide(browser, begun.user_code, 'approve')).status).toBe(200);

  const received = await poll(begun);
  expect(received).toEqual({
    status: 200,
    access_token: expect.stringMatching(/^svc_pat_/),
    token_type: 'Bearer',
    expires_in: 2_592_000,
    username: null,
  });
  const headers = { authorization: `Bearer ${String(received.access_token)}` };
  const workspace = await fetch(`${world.hub.hubUrl}/workspace`, { headers });
  expect(await workspace.json()).toMatchObject({ email: 'ada@example.com', role: 'owner' });
  expect(await poll(begun)).toMatchObject({ status: 400, error: 'expired_token', code: 'expired_token' });
});

test('the mail that another person has requested does not lead to their program', async () => {
  const begun = await begin();
  const attacker = new Browser();
  await attacker.submit('/device/sign-in', { email: 'ada@example.com', user_code: begun.user_code });
  const link = await mailedLink();
  expect(link).not.toContain(begun.user_code);
  const response = await new Browser().submit(link, {});
  expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
    303,
    '/dashboard',
    '',
  ]);
});

test('a code is typed in any case and with or without its dash', async () => {
  const begun = await begin();
  const browser = await signedIn();
  expect(await (await browser.get('/device')).text()).toContain('<input name="user_code"');
  const typed = begun.user_code.toLowerCase().replace('-', ' ');
  expect((await decide(browser, typed, 'approve')).status).toBe(200);
  expect((await poll(begun)).status).toBe(200);
});

test('a refused program gets the refusal, which is final', async () => {
  const begun = await begin();
  const browser = await signedIn();
  const { fields } = await confirmation(browser, begun.user_code);
  expect((await browser.submit('/device', { ...fields, decision: 'deny' })).status).toBe(200);
  expect(await poll(begun)).toMatchObject({ status: 400, error: 'access_denied' });
  expect((await browser.submit('/device', { ...fields, decision: 'approve' })).status).toBe(404);
  expect(await poll(begun)).toMatchObject({ error: 'access_denied' });
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['of a neighbouring site', { 'sec-fetch-site': 'same-site' }],
  ['with the origin of another site', { origin: 'https://evil.example' }],
  ['that hides where it comes from', { origin: 'null' }],
  ['that does not say where it comes from', {}],
])('a form %s decides nothing and sends no mail', async (_, headers) => {
  const begun = await begin();
  const browser = await signedIn();
  const { fields } = await confirmation(browser, begun.user_code);
  const before = await mailedLink();
  const answers = [
    await browser.submit('/device', { ...fields, decision: 'approve' }, headers as Record<string, string>),
    await browser.submit('/device/sign-in', { email: 'eve@example.com' }, headers as Record<string, string>),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  expect(await poll(begun)).toMatchObject({ error: 'authorization_pending' });
  expect(await mailedLink()).toBe(before);
});

test('a workspace of another person cannot be chosen', async () => {
  const begun = await begin();
  const eve = await confirmation(await signedIn('eve@example.com'), begun.user_code);
  const ada = await signedIn();
  const { fields } = await confirmation(ada, begun.user_code);
  const stolen = { ...fields, workspace: eve.fields.workspace, decision: 'approve' };
  expect((await ada.submit('/device', stolen)).status).toBe(400);
  expect(await poll(begun)).toMatchObject({ error: 'authorization_pending' });
});

test('guessing codes is limited, even before the right one', async () => {
  const begun = await begin();
  const browser = await signedIn();
  const statuses: number[] = [];
  for (let guess = 0; guess < 10; guess += 1) {
    const letter = 'BCDFGHJKLM'[guess] ?? '';
    statuses.push((await browser.get(`/device?user_code=${letter.repeat(8)}`)).status);
  }
  statuses.push((await browser.get(`/device?user_code=${begun.user_code}`)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429]);
  const fields = { user_code: begun.user_code, decision: 'approve', workspace: 'any' };
  const limited = await browser.submit('/device', fields);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '6']);
});

describe('a program that asks for its token', () => {
  test('too often has to wait longer each time', async () => {
    const begun = await begin();
    const asks: unknown[] = [];
    for (const waitedMs of [0, 5_000, 4_999, 10_000, 9_000, 15_000]) {
      world.clock.move(waitedMs);
      asks.push((await poll(begun)).error);
    }
    expect(asks).toEqual([
      'authorization_pending',
      'authorization_pending',
      'slow_down',
      'authorization_pending',
      'slow_down',
      'authorization_pending',
    ]);
  });

  test('has ten minutes, and so has the person', async () => {
    const begun = await begin();
    world.clock.move(599_999);
    const browser = await signedIn();
    expect((await confirmation(browser, begun.user_code)).status).toBe(200);
    const { fields } = await confirmation(browser, begun.user_code);
    world.clock.move(1);
    expect((await browser.submit('/device', { ...fields, decision: 'approve' })).status).toBe(404);
    expect(await poll(begun)).toMatchObject({ status: 400, error: 'expired_token' });
  });

  test('and was approved still has to poll in time', async () => {
    const begun = await begin();
    await decide(await signedIn(), begun.user_code, 'approve');
    world.clock.move(600_000);
    expect(await poll(begun)).toMatchObject({ status: 400, error: 'expired_token' });
  });

  test('twenty times at once gets one token', async () => {
    const begun = await begin();
    await decide(await signedIn(), begun.user_code, 'approve');
    const received = await Promise.all(Array.from({ length: 20 }, () => poll(begun)));
    expect(received.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(received.map(({ error }) => error))).toEqual(new Set([undefined, 'expired_token']));
  });

  test('with a code that never was learns the same as with one that is over', async () => {
    const begun = await begin();
    world.clock.move(600_000);
    expect(await poll({ device_code: 'x'.repeat(43) })).toEqual(await poll(begun));
  });
});

test('neither code is in the data of the hub, nor in its log', async () => {
  const begun = await begin();
  const browser = await signedIn();
  await browser.submit('/device/sign-in', { email: 'ada@example.com', user_code: begun.user_code });
  await decide(browser, begun.user_code, 'approve');
  const token = String((await poll(begun)).access_token);
  const files = readdirSync(world.dataDir).map((name) => readFileSync(join(world.dataDir, name), 'latin1'));
  const kept = [...files, ...world.logLines].join('\n');
  expect(kept).toContain('svc on build-1');
  for (const secret of [begun.device_code, begun.user_code, begun.user_code.replace('-', ''), token])
    expect(kept).not.toContain(secret);
});

test('the name of a program is plain text on the page, and no page is cached or framed', async () => {
  const begun = await begin('<script>alert(1)</script>"');
  const browser = await signedIn();
  const { html, fields } = await confirmation(browser, begun.user_code);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;');
  const pages = [
    await browser.get('/device'),
    await browser.get(`/device?user_code=${begun.user_code}`),
    await browser.get('/device?user_code=nonsense'),
    await new Browser().get('/device'),
    await browser.submit('/device', {}, { origin: 'https://evil.example' }),
    await browser.submit('/device', { ...fields, decision: 'deny' }),
  ];
  for (const { headers } of pages) {
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-type')).toContain('text/html');
  }
  // Browsers that do not send Sec-Fetch-Site with a form send Origin, but not under no-referrer.
  expect(pages[1]?.headers.get('referrer-policy')).toBe('same-origin');
});
