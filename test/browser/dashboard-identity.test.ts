// The settings of identities in a real browser: the sign-in provider of the workspace, provisioning, usernames, workspaces, and the
// address of the account.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET } from '../openid-providers.ts';
import { mailsTo, signIn } from '../people.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, viewer } from './dashboard.ts';

closeBrowserAtEnd();

const section = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });

describeInBrowser('the owner', () => {
  let world: HubWorld;
  let provider: BrokenProvider;
  beforeAll(async () => {
    provider = await BrokenProvider.start();
    world = await dashboardWorld({
      env: { SVC_SCIM_WORKSPACES: '*', SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32' },
    });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  test('tests the connection to a provider, saves it, changes it and removes it', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/settings');
    const part = section(page, 'Sign-in provider of the workspace');
    const callback = `${world.hub.hubUrl}/login/workspace/${world.start.username}/callback`;
    await part.getByText(callback).waitFor();
    await part.getByLabel('Issuer').fill('http://127.0.0.1:1');
    await part.getByRole('button', { name: 'Test connection' }).press('Enter');
    await part.getByRole('alert').waitFor();
    // The page is not left without a question, and the tab keeps all but the secret.
    await part.getByLabel('Client secret').fill('correct horse');
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
    await page.goBack();
    await part.getByText('Your unsaved changes are restored.').waitFor();
    expect(await part.getByLabel('Issuer').inputValue()).toBe('http://127.0.0.1:1');
    expect(await part.getByLabel('Client secret').inputValue()).toBe('');
    await part.getByLabel('Issuer').fill(provider.issuer);
    await part.getByRole('button', { name: 'Test connection' }).press('Enter');
    await part.getByRole('status').getByText(`${provider.issuer}/authorize`).waitFor();
    await part.getByLabel('Client ID').fill(CLIENT_ID);
    await part.getByLabel('Client secret').fill(CLIENT_SECRET);
    await part.getByLabel('Button label').fill('Example & Sons');
    await ada.expectAccessible();
    await part.getByRole('button', { name: 'Save provider' }).press('Enter');
    await part.getByText('offered to members').waitFor();
    await part
      .getByText(`${world.hub.hubUrl}/login/workspace/${world.start.username}`, { exact: true })
      .waitFor();
    // The secret is kept, and never shown.
    await part.getByRole('button', { name: 'Change', exact: true }).press('Enter');
    await part.getByText('Leave empty to keep the current one.').waitFor();
    expect(await part.getByLabel('Client secret').inputValue()).toBe('');
    await part.getByRole('switch').press('Space');
    await part.getByRole('button', { name: 'Save provider' }).press('Enter');
    await part.getByText('required for members').waitFor();
    await ada.expectNoSidewaysScroll();
    // People sign in there from a page without scripts.
    const sent = await fetch(`${world.hub.hubUrl}/login/workspace/${world.start.username}`, {
      redirect: 'manual',
    });
    expect(sent.headers.get('location')).toStartWith(`${provider.issuer}/authorize?`);
    await part.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove provider' }).press('Enter');
    await part.getByLabel('Issuer').waitFor();
    // The refused connection is a failed request.
    ada.takeComplaints();
  });

  test('makes the token of a provisioning provider, whose people are in the team', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/team');
    const part = section(page, 'Provisioning');
    await part.getByText(`${world.hub.hubUrl}/scim/v2`).waitFor();
    await part.getByRole('combobox', { name: 'Role without a group' }).press('Enter');
    await page.getByRole('option', { name: 'Viewer' }).press('Enter');
    await part.getByRole('button', { name: 'Create token' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const token = await dialog.getByText(/^svc_scim_\w+$/).innerText();
    await ada.expectAccessible();
    await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await part.getByText('default role viewer').waitFor();
    const made = await fetch(`${world.hub.hubUrl}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: 'lin@example.com', active: true }),
    });
    expect(made.status).toBe(201);
    await ada.open('/team');
    await part.getByText('1 user, 1 of them in the team').waitFor();
    await page.getByRole('button', { name: 'Remove lin@example.com' }).waitFor();
    await part.getByRole('button', { name: 'Remove token' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove token' }).press('Enter');
    await part.getByRole('button', { name: 'Create token' }).waitFor();
    await page.getByRole('button', { name: 'Remove lin@example.com' }).waitFor();
  });

  test('changes the username, and the dashboard follows; old URLs lead on, then end', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    const old = world.start.username;
    await ada.open('/settings');
    const part = section(page, 'Username');
    await part.getByLabel('New username').fill('Acme Works');
    await part.getByRole('button', { name: 'Change username' }).press('Enter');
    await part.getByText('Use 2 to 39 lower-case letters').waitFor();
    await part.getByLabel('New username').fill('acme');
    await part.getByRole('button', { name: 'Change username' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${old} stays reserved for this workspace.`).waitFor();
    await ada.expectAccessible();
    await dialog.getByRole('button', { name: 'Change username' }).press('Enter');
    await page.getByText('acme, you are owner').waitFor();
    await part.getByText('URLs redirect to the new ones').waitFor();
    const statusOf = async () =>
      (await fetch(`${world.hub.hubUrl}/v1/${old}/job`, { redirect: 'manual' })).status;
    expect(await statusOf()).toBe(308);
    await part.getByRole('button', { name: `Answer 410: URLs of ${old}` }).press('Enter');
    await part.getByText('URLs answer 410').waitFor();
    expect(await statusOf()).toBe(410);
    await ada.expectNoSidewaysScroll();
  });

  test('creates another workspace, which the switcher shows, and deletes it alone', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/settings');
    await page.getByLabel('Username of a new workspace').fill('second');
    await page.getByRole('button', { name: 'Create workspace' }).press('Enter');
    await page.getByRole('button', { name: 'Switch workspace, current: second' }).waitFor();
    await ada.open('/settings');
    await page.getByText('second, you are owner').waitFor();
    await ada.expectAccessible();
    await page.getByRole('button', { name: 'Delete workspace' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('second');
    await dialog.getByRole('button', { name: 'Delete workspace' }).press('Enter');
    await page.getByText('acme', { exact: true }).first().waitFor();
    expect(new URL(page.url()).pathname).not.toBe('/login');
  });

  test('changes the address of the account: a link to each, on pages without scripts', async () => {
    await signIn(world, 'mia@example.com');
    await using mia = await viewer(world, { email: 'mia@example.com' });
    const { page } = mia;
    await (await signIn(world, 'mia@example.com')).ask('PUT', '/workspace/username', {
      body: { username: 'mia' },
    });
    await mia.open('/settings');
    const part = section(page, 'Email address');
    await part.getByLabel('New email address').fill('mia@example.org');
    await part.getByRole('button', { name: 'Change email' }).press('Enter');
    await part.getByText('waits for the link to the new address').waitFor();
    await mia.expectAccessible();
    for (const email of ['mia@example.com', 'mia@example.org']) {
      const [mail] = (await mailsTo(world, email)).filter(({ text }) => text.includes('/auth/email-change/'));
      await page.goto(/http\S+\/auth\/email-change\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
      await mia.expectAccessible();
      await page.getByRole('button', { name: 'Confirm the change' }).click();
    }
    await page.getByRole('heading', { name: 'Address changed' }).waitFor();
    await mia.open('/settings');
    await page.getByText('mia@example.org', { exact: true }).waitFor();
  });
});
