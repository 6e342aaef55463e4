import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';

/** A page whose browser has a passkey authenticator that answers at once. */
export async function pageWithAuthenticator(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const devTools = await context.newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}

/** Adds a passkey on a page that lists passkeys, and returns the button that removes it. */
export async function addPasskeyInSettings(page: Page): Promise<Locator> {
  await page.getByLabel('Name of the passkey').fill('Laptop');
  await page.getByRole('button', { name: 'Add passkey', exact: true }).press('Enter');
  const remove = page.getByRole('button', { name: 'Remove passkey Laptop', exact: true });
  await remove.waitFor();
  return remove;
}

/** Asks for a sign-in link on the sign-in page, and opens the newest link; `to` is the page to open afterwards. */
export async function openSignInLink(
  world: HubWorld,
  page: Page,
  email: string,
  to = '/dashboard',
): Promise<void> {
  await page.goto(`${world.hub.hubUrl}/login?to=${to}`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Email me a link', exact: true }).press('Enter');
  await page.waitForLoadState();
  await page.getByRole('heading', { name: /Check your email|No mail server/ }).waitFor();
  const { items } = (await (await world.manage('/outbox')).json()) as {
    items: { to: string; text: string }[];
  };
  const links = items
    .filter((mail) => mail.to === email)
    .map(({ text }) => /http\S+\/login\/\S+/.exec(text)?.[0]);
  await page.goto(links.find((link) => link !== undefined) ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter');
}

/**
 * Takes the session from a browser. It leaves the dashboard first: a dashboard that is answered 401 opens the sign-in page by itself, and
 * would do so while the test opens another page.
 */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies();
}
