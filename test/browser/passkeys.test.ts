// Passkeys in a real browser with a virtual authenticator: added in the settings, used at the sign-in page.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { Approvals } from '../approvals.ts';
import type { HubWorld } from '../hub-world.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';
import { dashboardWorld } from './dashboard.ts';
import { addPasskeyInSettings, forgetSession, pageWithAuthenticator } from './passkey-page.ts';

describe.skipIf(hasNoBrowser)('a person with a passkey', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  test('adds it, signs in with it to the page they wanted, and signs in no more once it is removed', async () => {
    await using world = await dashboardWorld({ env: { SVC_HOST: 'localhost' } });
    await using context = await browser.newContext();
    const page = await pageWithAuthenticator(context);
    const { hubUrl } = world.hub;
    await signInByMail(world, page, 'ada@example.com');
    const remove = await addPasskey(world, page);

    await forgetSession(page);
    const sent = page.waitForRequest(`${hubUrl}/login/passkey`);
    await withPasskey(page, `${hubUrl}/login?to=/dashboard/settings`);
    await page.waitForURL(`${hubUrl}/dashboard/settings`);
    const replayed = await replay(await sent);
    expect([replayed.status, replayed.headers.get('set-cookie')]).toEqual([
      410,
      expect.stringContaining('svc_passkey=;'),
    ]);
    expect(await replayed.text()).toContain('this was used already');
    await remove.press('Enter');
    await page.getByText('No passkeys yet.').waitFor();

    await forgetSession(page);
    await withPasskey(page, `${hubUrl}/login`);
    await page.getByText('this passkey is not known here').waitFor();
    expect(await page.title()).toBe('You are not signed in');
  });

  test('approves a call of an endpoint that needs one, and learns before that one is missing', async () => {
    await using world = await dashboardWorld({ env: { SVC_HOST: 'localhost' } });
    const agent = await world.agent({
      endpoints: [{ name: 'guarded', command: 'true', approval_required: true, approval: 'passkey' }],
    });
    await using context = await browser.newContext();
    const page = await pageWithAuthenticator(context);
    await signInByMail(world, page, 'operator@localhost');
    const { executionId } = await new Approvals(world).callForApproval('guarded');
    const approve = async () => {
      await page.goto(`${world.hub.hubUrl}/dashboard/approvals`);
      await page.getByRole('button', { name: 'Approve…', exact: true }).press('Enter');
      await page.getByRole('button', { name: 'Approve with passkey', exact: true }).press('Enter');
    };
    await approve();
    const notifications = page.getByRole('region', { name: 'Notifications' });
    await notifications.getByText('This approval needs a passkey, and you have none').waitFor();
    await addPasskey(world, page);
    await approve();
    expect(await agent.receive('run')).toMatchObject({ execution_id: executionId });
    await page.getByText('No pending approvals').waitFor();
  });
});

/** Adds a passkey in the settings, and gives the button that removes it. */
async function addPasskey({ hub }: HubWorld, page: Page): Promise<Locator> {
  await page.goto(`${hub.hubUrl}/dashboard/settings`);
  return addPasskeyInSettings(page);
}

/** Sends a sign-in again, as who has overheard it, with its challenge. */
async function replay(request: Request): Promise<Response> {
  const { cookie = '', 'sec-fetch-site': site = '' } = await request.allHeaders();
  expect(cookie).toContain('svc_passkey=');
  return fetch(request.url(), {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': site, 'content-type': 'application/x-www-form-urlencoded' },
    body: request.postData() ?? '',
    redirect: 'manual',
  });
}

async function withPasskey(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in with a passkey', exact: true }).press('Enter');
}

async function signInByMail(world: HubWorld, page: Page, email: string): Promise<void> {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  await page.goto(/http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter');
  await page.waitForURL(({ pathname }) => pathname.startsWith('/dashboard'));
}
