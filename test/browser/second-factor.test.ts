// The second factor in a real browser with a virtual authenticator (decision 100, second factor).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { signIn } from '../people.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';
import { dashboardWorld } from './dashboard.ts';
import {
  addPasskeyInSettings,
  forgetSession,
  openSignInLink,
  pageWithAuthenticator,
} from './passkey-page.ts';

const EMAIL = 'ada@example.com';

describe.skipIf(hasNoBrowser)('a person with a second factor', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  test('switches it on, and signs in with a link and a passkey, or a recovery code without scripts', async () => {
    await using world = await dashboardWorld({ env: { SVC_HOST: 'localhost' } });
    await using context = await browser.newContext();
    const page = await pageWithAuthenticator(context);
    const { hubUrl } = world.hub;
    await openSignInLink(world, page, EMAIL);
    await page.waitForURL(`${hubUrl}/dashboard`);
    const codes = await switchOn(page, hubUrl);
    expect(codes).toHaveLength(10);

    await forgetSession(page);
    await openSignInLink(world, page, EMAIL, '/dashboard/settings');
    await page.waitForURL(`${hubUrl}/login/second-factor`);
    await page.getByRole('button', { name: 'Continue with a passkey', exact: true }).press('Enter');
    await page.waitForURL(`${hubUrl}/dashboard/settings`);
    await page.getByText('10 recovery codes are left').waitFor();

    await using plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await openSignInLink(world, other, EMAIL);
    await other.waitForURL(`${hubUrl}/login/second-factor`);
    expect(await other.getByRole('button', { name: 'Continue with a passkey' }).isVisible()).toBe(false);
    await withCode(other, 'zzzz-zzzz-zzzz-zzzz');
    await other.getByText('This recovery code is not valid').waitFor();
    await withCode(other, codes[0] ?? '');
    await other.waitForURL(`${hubUrl}/dashboard`);
    expect(cookieNames(await plain.cookies())).toEqual(['svc_session']);

    await page.reload();
    await page.getByText('9 recovery codes are left').waitFor();
    await page.getByRole('button', { name: 'End all other sessions', exact: true }).press('Enter');
    await page.getByText('All other sessions ended').waitFor();
    await page.getByRole('button', { name: 'Switch second factor off', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Confirm with passkey', exact: true }).press('Enter');
    await page.getByText('Second factor is off').waitFor();
    await page.getByRole('button', { name: 'Switch second factor on', exact: true }).waitFor();
  });

  test('is led to switch it on by a workspace that demands one', async () => {
    await using world = await dashboardWorld({ env: { SVC_HOST: 'localhost' } });
    const { hubUrl } = world.hub;
    const lin = await signIn(world, 'lin@example.com');
    const invited = await world.manage('/team/invite', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: lin.email, role: 'member' }),
    });
    expect(invited.status).toBe(201);
    await using owners = await browser.newContext();
    const owner = await pageWithAuthenticator(owners);
    await openSignInLink(world, owner, 'operator@localhost');
    await owner.waitForURL(`${hubUrl}/dashboard`);
    await switchOn(owner, hubUrl);
    await owner.getByRole('switch', { name: 'Members need a second factor', exact: true }).press('Space');
    await owner.getByRole('button', { name: 'Demand second factor', exact: true }).press('Enter');
    await owner.getByText('Members need a second factor now').waitFor();
    await owner.goto(`${hubUrl}/dashboard/team`);
    await owner.getByText('second factor', { exact: true }).waitFor();

    await using members = await browser.newContext();
    const member = await pageWithAuthenticator(members);
    await openSignInLink(world, member, lin.email);
    await member.waitForURL(`${hubUrl}/dashboard`);
    await joinBy(world, member, lin.email);
    await member.getByRole('heading', { name: 'Second factor needed' }).waitFor();
    await addPasskeyInSettings(member);
    await saveCodes(member);
    await member.getByRole('heading', { name: 'Second factor needed' }).waitFor({ state: 'detached' });
    await owner.reload();
    await owner.getByText('no second factor').waitFor({ state: 'detached' });
  });
});

/** Adds a passkey in the settings, switches the second factor on, and returns the recovery codes. */
async function switchOn(page: Page, hubUrl: string): Promise<string[]> {
  await page.goto(`${hubUrl}/dashboard/settings`);
  await addPasskeyInSettings(page);
  return await saveCodes(page);
}

async function saveCodes(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Switch second factor on', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save the recovery codes now' });
  const text = (await dialog.locator('pre').textContent()) ?? '';
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download', exact: true }).press('Enter'),
  ]);
  expect(file.suggestedFilename()).toBe('svc-recovery-codes.txt');
  await dialog.getByRole('button', { name: 'I have saved them', exact: true }).press('Enter');
  return text.match(/\w{4}(?:-\w{4}){3}/g) ?? [];
}

async function withCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Recovery code').fill(code);
  await page.getByRole('button', { name: 'Use recovery code', exact: true }).press('Enter');
}

async function joinBy(
  world: Awaited<ReturnType<typeof dashboardWorld>>,
  page: Page,
  email: string,
): Promise<void> {
  const { items } = (await (await world.manage('/outbox')).json()) as {
    items: { to: string; text: string }[];
  };
  const link = items.filter(({ to }) => to === email).map(({ text }) => /http\S+\/join\/\S+/.exec(text)?.[0]);
  await page.goto(link.find((one) => one !== undefined) ?? '');
  await page.getByRole('button', { name: 'Join team', exact: true }).press('Enter');
  await page.waitForURL(({ pathname }) => pathname === '/dashboard');
}

function cookieNames(cookies: Awaited<ReturnType<BrowserContext['cookies']>>): string[] {
  return cookies.map(({ name }) => name);
}
