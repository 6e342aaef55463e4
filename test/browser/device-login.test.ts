// A program is confirmed in a real browser without scripts, over plain http: where it says who sends a form, and where not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { networkInterfaces } from 'node:os';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
}

describe.skipIf(hasNoBrowser)('a person without scripts', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  // To loopback a browser sends Sec-Fetch-Site; to another address over plain http only Origin.
  test.each(['127.0.0.1', ...externalAddress()])('signs in and says yes at %s', async (host) => {
    await using world = await hubWorld({ env: { SVC_HOST: host } });
    await using context = await browser.newContext({ javaScriptEnabled: false });
    const begun = await begin(world);
    const page = await context.newPage();
    await page.goto(begun.verification_uri_complete);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await titled(page, 'Check your email');
    await page.goto(await mailedLink(world));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(begun.verification_uri_complete);
    expect(await page.textContent('main')).toContain('ada@example.com');
    expect(await outcomeOf(world, begun)).toBe('authorization_pending');
    await page.getByRole('button', { name: 'Connect' }).click();
    await titled(page, 'Connected');
    expect(await outcomeOf(world, begun)).toBe('Bearer');

    // The next program: signed in already, the code typed by hand.
    const next = await begin(world);
    await page.goto(next.verification_uri);
    await page.getByLabel('Code').fill(next.user_code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await titled(page, 'Refused');
    expect(await outcomeOf(world, next)).toBe('access_denied');
  });

  test('is not made to say yes by a page of another site', async () => {
    await using world = await hubWorld();
    await using context = await browser.newContext();
    const page = await signedIn(world, context);
    const begun = await begin(world);
    await page.goto(begun.verification_uri_complete);
    const workspace = await page.locator('input[name=workspace]').getAttribute('value');
    using otherSite = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: () =>
        new Response(
          `<form method="post" action="${world.hub.hubUrl}/device">
          <input name="user_code" value="${begun.user_code}"><input name="workspace" value="${workspace}">
          <button name="decision" value="approve">a prize</button></form>
          <iframe src="${begun.verification_uri_complete}"></iframe>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    });
    await page.goto(otherSite.url.href);
    const [, frame] = page.frames();
    expect(await frame?.locator('button').count()).toBe(0);
    await page.getByRole('button', { name: 'a prize' }).click();
    await page.waitForURL(`${world.hub.hubUrl}/device`);
    await page.locator('h1').waitFor();
    expect(await page.title()).not.toBe('Connected');
    expect(await outcomeOf(world, begun)).toBe('authorization_pending');
  });

  test('allows an AI client from any page, and only there, and the browser goes to the client', async () => {
    await using world = await hubWorld({ env: { SVC_MCP_DCR: 'on' } });
    await using context = await browser.newContext({ javaScriptEnabled: false });
    using program = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('<h1>Back in the editor</h1>', { headers: { 'content-type': 'text/html' } }),
    });
    const redirect_uri = new URL('/callback', program.url).href;
    const client = await OAuthClient.register(world, [redirect_uri]);
    const asked = client.ask({ redirect_uri });
    const url = `${world.hub.hubUrl}/oauth/authorize?${new URLSearchParams(asked.query)}`;
    using otherSite = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: () =>
        new Response(`<h1>A game</h1><iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`, {
          headers: { 'content-type': 'text/html' },
        }),
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await titled(page, 'No mail server');
    await page.goto(await mailedLink(world));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await titled(page, 'Allow Editor?');
    await page.goto(otherSite.url.href);
    const [, frame] = page.frames();
    expect(await frame?.locator('button').count()).toBe(0);
    await page.goto(url);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Back in the editor' }).waitFor();
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    expect((await client.exchange(asked, code)).status).toBe(200);
  });
});

function post({ hub }: HubWorld, path: string, body: object): Promise<Response> {
  return fetch(`${hub.hubUrl}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

async function begin(world: HubWorld): Promise<Begun> {
  return (await (await post(world, '/auth/device', {})).json()) as Begun;
}

/** The answer to the program: an error, or the type of its token. */
async function outcomeOf(world: HubWorld, { device_code }: Begun): Promise<string | undefined> {
  world.clock.move(5_000);
  const received = (await (await post(world, '/auth/device/token', { device_code })).json()) as Record<
    string,
    string
  >;
  return received.error ?? received.token_type;
}

async function signedIn(world: HubWorld, context: BrowserContext) {
  await post(world, '/auth/magic-link', { email: 'ada@example.com' });
  const page = await context.newPage();
  await page.goto(await mailedLink(world));
  const link = page.url();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.href !== link);
  return page;
}

/** Settles when the page with this title, which is its heading, too, is shown. */
async function titled(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  expect(await page.title()).toBe(title);
}

async function mailedLink(world: HubWorld): Promise<string> {
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  return /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
}

/** An address by which other machines reach this one. */
function externalAddress(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, 1);
}
