// The pages of the house in a real browser: agents, secrets, keys, team, usage, audit log, settings, approvals, schedules,
// alerts, templates.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { Approvals } from '../approvals.ts';
import type { HubWorld } from '../hub-world.ts';
import { OAuthClient, REDIRECT } from '../mcp/oauth-client.ts';
import { BrokenProvider } from '../openid-providers.ts';
import { linkTo, mailTo, signIn } from '../people.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import {
  closeBrowserAtEnd,
  DESKTOP,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  OWNER,
  PHONE,
  type Viewer,
  viewer,
} from './dashboard.ts';

closeBrowserAtEnd();

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';
const PAGES = [
  '/agents',
  '/secrets',
  '/api-keys',
  '/team',
  '/usage',
  '/audit',
  '/outbox',
  '/settings',
  '/approvals',
  '/schedules',
  '/alerts',
  '/templates',
  '/live',
] as const;

describeInBrowser('the pages of the house', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  let provider: BrokenProvider;
  beforeAll(async () => {
    provider = await BrokenProvider.start();
    const env = {
      SVC_MCP_DCR: 'on',
      SVC_OIDC_GROUPS_CLAIM: 'groups',
      SVC_OIDC_GROUPS_WORKSPACES: '*',
      ...provider.environment,
    };
    world = await dashboardWorld({ env });
    agent = await world.agent({
      endpoints: [
        { name: 'deploy', command: 'true' },
        { name: 'guarded', command: 'echo {{word}}', args: [{ name: 'word' }], approval_required: true },
        {
          name: 'nightly',
          command: 'true',
          schedule: '0 3 * * *',
          alerts: [{ name: 'of the file', events: ['schedule.missed'], target: 'gone@example.com' }],
        },
      ],
    });
    await manage(world, 'PUT', '/secrets/DEPLOY_TOKEN', { value: 'correct horse' });
    await manage(world, 'POST', '/api-keys', { name: HOSTILE });
    await manage(world, 'POST', '/agent-tokens', { name: HOSTILE });
    const hook = { channel: 'webhook', target: 'https://hooks.example.com/x', events: ['agent.offline'] };
    await manage(world, 'POST', '/alerts', { name: HOSTILE, ...hook });
    await manage(world, 'POST', '/auth/magic-link', { email: 'ada@example.com' });
    await (await OAuthClient.register(world, [REDIRECT], HOSTILE)).connect(await signIn(world, OWNER));
    await hold(world);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  describe('one after the other, in one tab', () => {
    let ada: Viewer;
    beforeAll(async () => {
      ada = await viewer(world);
    });
    afterAll(() => ada[Symbol.asyncDispose]());

    test.each(PAGES)('%s is readable by everybody, light on a desk and dark on a phone', async (path) => {
      const { page } = ada;
      await page.setViewportSize(DESKTOP);
      await page.emulateMedia({ colorScheme: 'light' });
      await ada.open(path);
      await page.locator('main [role="status"]:has(.sr-only)').first().waitFor({ state: 'detached' });
      await ada.expectAccessible();
      await ada.expectNoSidewaysScroll();
      await ada.shot(`house-${path.slice(1)}-desktop`);
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await ada.expectContrast();
      await page.waitForFunction((width) => document.documentElement.scrollWidth <= width, PHONE.width);
      await ada.shot(`house-${path.slice(1)}-phone`);
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(ada.takeComplaints()).toEqual([]);
    });
  });

  test('an AI client is connected with the lines for it, and the address of this hub', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/api-keys');
    await page.getByRole('button', { name: 'Connect an AI client', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Connect an AI client' });
    const { hubUrl } = world.hub;
    await dialog.getByText(`claude mcp add --transport http svc ${hubUrl}/mcp`, { exact: true }).waitFor();
    await ada.expectAccessible();
    await dialog.getByRole('combobox', { name: 'Client' }).press('Enter');
    await page.getByRole('option', { name: 'Codex CLI', exact: true }).press('Enter');
    await dialog.getByText(`url = "${hubUrl}/mcp"`).waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a machine is connected with one line, and shown when it has used it', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/agents');
    await page.getByRole('button', { name: 'Connect a machine', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Connect a machine' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('build server');
    await dialog.getByRole('button', { name: 'Create install command', exact: true }).press('Enter');
    const line = await dialog.getByText(/^echo svc_et_\w+ \| sudo svc agent install /).innerText();
    await dialog.getByText('Waiting for the machine to connect…', { exact: true }).waitFor();
    await ada.expectAccessible();
    const [enrolment = ''] = /svc_et_\w+/.exec(line) ?? [];
    const { hubUrl } = world.hub;
    const exchanged = await fetch(`${hubUrl}/agent-enrolments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: enrolment }),
    });
    const { token } = (await exchanged.json()) as { token: string };
    const endpoints = [{ name: 'first-of-it', command: 'true' }];
    await using _machine = await ScriptedAgent.connect({
      hubUrl,
      token,
      name: 'machine-2',
      endpoints,
    });
    await dialog.getByRole('link', { name: 'Run first-of-it', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'first-of-it' }).first().waitFor();
  });

  test('an API key is made, shown once, rotated and revoked', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/api-keys');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('nightly build');
    await dialog.getByText('Only some endpoints').click();
    await dialog.getByText('deploy', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await dialog.getByText(/^svc_sk_\w{40,}$/).innerText();
    expect((await fetch(world.urlOf('guarded'), { headers: { 'X-API-Key': key } })).status).toBe(404);
    await copied(page);
    await page.getByRole('button', { name: 'Rotate key nightly build' }).click();
    await dialog.getByRole('button', { name: 'Rotate key', exact: true }).click();
    expect(await dialog.getByText(/^svc_sk_\w{40,}$/).innerText()).not.toBe(key);
    await copied(page);
    await page.getByRole('button', { name: 'Revoke key nightly build' }).click();
    await dialog.getByRole('button', { name: 'Revoke key', exact: true }).click();
    await page.getByText('Key nightly build revoked').first().waitFor();
    expect((await fetch(world.urlOf('deploy'), { headers: { 'X-API-Key': key } })).status).toBe(401);
  });

  test('a service account gets a key, which is shown once and ends with the account', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/api-keys');
    await page.getByRole('button', { name: 'Create service account', exact: true }).press('Enter');
    const making = page.getByRole('dialog', { name: 'Create service account' });
    await making.getByLabel('Name', { exact: true }).fill('deployments');
    await making.getByRole('button', { name: 'Create account', exact: true }).press('Enter');
    await making.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create key of deployments', exact: true }).press('Enter');
    const key = page.getByRole('dialog', { name: 'Create key of deployments' });
    await key.getByLabel('Name', { exact: true }).fill('GitHub');
    await key.getByRole('button', { name: 'Create key', exact: true }).press('Enter');
    const token = await page
      .getByRole('dialog')
      .getByText(/^svc_sk_\w{40,}$/)
      .innerText();
    const call = () => fetch(world.urlOf('nowhere'), { headers: { 'X-API-Key': token } });
    expect((await call()).status).toBe(404);
    await copied(page);
    await ada.expectAccessible();
    await page
      .getByRole('button', { name: 'Disable service account deployments', exact: true })
      .press('Enter');
    const disabling = page.getByRole('dialog', { name: 'Disable service account deployments?' });
    await disabling.getByRole('button', { name: 'Disable account', exact: true }).press('Enter');
    await page.getByText('Service account deployments disabled', { exact: true }).first().waitFor();
    expect((await call()).status).toBe(401);
  });

  test('an AI client is listed with what it may do, and its access is revoked', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await (await OAuthClient.register(world)).connect(await signIn(world, OWNER), { run: ['deploy'] });
    await ada.open('/api-keys');
    await page.getByText('run:deploy', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revoke access of Editor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke the access of Editor?' });
    await dialog.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('run:deploy', { exact: true }).waitFor({ state: 'detached' });
  });

  test('a secret is set, replaced and deleted; its value is never shown', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/secrets');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create secret' }).click();
    await dialog.getByLabel('Name').fill('1x');
    await dialog.getByLabel('Value', { exact: true }).fill('a planted value');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    await dialog.getByText('cannot be the name').waitFor();
    await dialog.getByLabel('Name').fill('NEW_ONE');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    await page.getByRole('button', { name: 'Delete secret NEW_ONE' }).click();
    await dialog.getByRole('button', { name: 'Delete secret', exact: true }).waitFor();
    expect(await page.content()).not.toContain('a planted value');
    await dialog.getByRole('button', { name: 'Delete secret', exact: true }).click();
    await page.getByText('Secret NEW_ONE deleted').first().waitFor();
    await page.getByRole('button', { name: 'Delete secret NEW_ONE' }).waitFor({ state: 'detached' });
  });

  test('a person is invited, invited again, joins, gets another role and is removed', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/team');
    await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Invitation sent to grace@example.com').waitFor();
    const first = await linkTo(world, 'grace@example.com');
    await page.getByRole('button', { name: 'Resend invitation to grace@example.com' }).click();
    await page.getByText('Invitation resent to grace@example.com').waitFor();
    expect(await linkTo(world, 'grace@example.com')).not.toBe(first);
    await page.getByRole('button', { name: 'Withdraw invitation to grace@example.com' }).click();
    await page.getByText('Invitation to grace@example.com withdrawn').waitFor();
    await memberOf(world, 'grace@example.com', 'member');
    await choose(page, 'Role of grace@example.com', 'admin');
    await page.getByText('grace@example.com is now admin').waitFor();
    await page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('grace@example.com removed').waitFor();
  });

  test('a pending call is approved in place, and appears in the history', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/approvals');
    await page.getByRole('button', { name: 'Approve…' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and run' }).click();
    await agent.answer('ok\n');
    await page.getByText('Approved', { exact: true }).waitFor();
    await page.getByText('No pending approvals').waitFor();
  });

  test('a time of a schedule that has come is no longer a next one', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await page.route(
      ({ pathname }) => pathname === '/schedules',
      async (route) => {
        const response = await route.fetch();
        const { items } = (await response.json()) as { items: object[] };
        const nowMs = await page.evaluate(() => Date.now());
        const fires = [-60_000, 3 * 3_600_000].map((ms) => new Date(nowMs + ms).toISOString());
        await route.fulfill({
          json: { items: items.map((one) => ({ ...one, next_fires: fires })), next_cursor: null },
        });
      },
    );
    await ada.open('/schedules');
    const next = page.getByText('Next:').first();
    await next.waitFor();
    expect(await next.locator('time').count()).toBe(1);
  });

  test('a schedule is paused and resumed', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/schedules');
    await page.getByText('at 03:00 every day, UTC').waitFor();
    const fires = page.getByRole('switch', { name: 'Schedule of nightly' });
    await fires.click();
    await page.getByText('Schedule of nightly paused').waitFor();
    await fires.and(page.locator('[aria-checked=false]')).waitFor();
    await fires.click();
    await page.getByText('Schedule of nightly resumed').waitFor();
  });

  test('an alert rule is made, changed, tried and deleted', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/alerts');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await dialog.getByText('Select at least one event.').waitFor();
    await dialog.getByLabel('Name').fill('on call');
    await dialog.getByText('Execution failed').click();
    await dialog.getByLabel('URL').fill('https://hooks.example.com/svc');
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await copied(page);
    await page.getByRole('button', { name: 'Send test alert to on call' }).click();
    await page.getByText('Test alert queued for on call').first().waitFor();
    await page.getByRole('button', { name: 'Edit on call' }).click();
    await dialog.getByLabel('Endpoint or pipeline').fill('deploy');
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('only deploy').waitFor();
    await page.getByRole('button', { name: 'Delete on call' }).click();
    await dialog.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('Alert rule on call deleted').first().waitFor();
  });

  test('a rule of a file says where it is edited and why it cannot send, and offers no change', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/alerts');
    await page.getByRole('button', { name: 'Send test alert to of the file', exact: true }).waitFor();
    await page.getByText('declared in svc.yaml: edit it there', { exact: true }).waitFor();
    await page.getByText('the address is not one of a member of the workspace').waitFor();
    for (const name of ['Edit of the file', 'Delete of the file'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.getByRole('switch', { name: 'Send alerts of of the file', exact: true }).count()).toBe(
      0,
    );
  });

  test('a template is found, shown, and imported once; existing endpoints stay unchanged', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/templates');
    await page.getByLabel('Search by name, description or tag').fill('disk');
    await page.getByRole('button', { name: /^Disk usage/ }).click();
    await page.getByRole('button', { name: 'Copy YAML' }).waitFor();
    await page.getByRole('button', { name: 'Import Disk usage' }).click();
    await page.getByText('Created:').waitFor();
    await page.getByRole('button', { name: 'Import Disk usage' }).click();
    await page.getByText('Skipped:').first().waitFor();
    await ada.expectAccessible();
    await ada.shot('house-template-imported');
  });

  test('the plan is changed, and the page shows what it cuts', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/usage');
    await choose(page, 'Plan', 'free');
    await page.getByRole('button', { name: 'Change to free' }).click();
    await page.getByText(/schedules: \d used, 0 allowed/).waitFor();
    await choose(page, 'Plan', 'unlimited');
    await page.getByRole('button', { name: 'Change to unlimited' }).click();
    await page.getByText('Plan changed to unlimited').waitFor();
  });

  test('the audit log is read by kind, and taken along', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/audit');
    await choose(page, 'Action', 'Set a secret');
    await page.getByRole('button', { name: /set a secret: DEPLOY_TOKEN/ }).click();
    await page.getByText('"action": "secret.set"').waitFor();
    await choose(page, 'Action', 'All actions');
    await choose(page, 'Member', OWNER);
    await page.getByLabel('Name begins with').fill('deploy_t');
    await page.waitForURL(({ searchParams }) => searchParams.get('name') === 'deploy_t');
    const entries = page.getByRole('list', { name: 'audit log entries' }).getByRole('listitem');
    await expectSoon(() => entries.count(), 1);
    await page.getByLabel('Until (UTC)').fill('2020-01-01T00:00');
    await page.getByText('No matching entries').waitFor();
    await ada.expectAccessible();
    await page.getByRole('link', { name: 'Show all entries' }).click();
    await expectSoon(async () => (await entries.count()) > 5, true);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as NDJSON' }).click();
    const lines = (await Bun.file(await (await download).path()).text()).trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ seq: 1, action: 'workspace.created' });
  });

  test('an access token is made and revoked, the theme chosen, a browser signed out', async () => {
    await using other = await viewer(world);
    await using ada = await viewer(world);
    const { page } = ada;
    await other.open('/settings');
    await ada.open('/settings');
    await choose(page, 'Theme in this browser', 'Dark');
    await page.locator('html[data-theme=dark]').waitFor();
    // By keyboard: the lists above may arrive during a click and move the field away.
    const agents = page.getByRole('combobox', { name: 'AI agents may do', exact: true });
    await agents.press('Enter');
    await page.getByRole('option', { name: 'Only read', exact: true }).press('Enter');
    await page.getByText('AI agents: Only read', { exact: true }).first().waitFor();
    await agents.getByText('Only read', { exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('backup');
    await page.getByRole('button', { name: 'Create access token' }).click();
    const dialog = page.getByRole('dialog');
    const token = await dialog.getByText(/^svc_pat_\w+$/).innerText();
    await copied(page);
    const ask = () =>
      fetch(`${world.hub.hubUrl}/workspace`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    // A long list renders only the visible rows.
    await page.waitForFunction(() => {
      scrollTo(0, document.body.scrollHeight);
      return document.querySelector('[aria-label="Revoke access token backup"]');
    });
    await page.getByRole('button', { name: 'Revoke access token backup' }).click();
    await page
      .getByText(/^Access token …\w+ revoked$/)
      .first()
      .waitFor();
    expect((await ask()).status).toBe(401);
  });

  test('a sign-in of the provider is linked at the provider, and unlinked', async () => {
    provider.person = { sub: 'operator', email: 'operator@localhost', email_verified: true };
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/settings');
    const heading = page.getByRole('heading', { name: 'Single sign-on', exact: true });
    const section = page.locator('section').filter({ has: heading });
    const empty = section.getByText('Link Example & Sons to sign in there.');
    const unlink = section.getByRole('button', { name: 'Unlink operator@localhost', exact: true });
    await empty.waitFor();
    // By keyboard: the list of sessions above may arrive during a click and move the button away.
    await section.getByRole('button', { name: 'Link Example & Sons', exact: true }).press('Enter');
    await unlink.waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/settings');
    await section.getByText(provider.issuer, { exact: true }).waitFor();
    await ada.expectAccessible();
    await ada.shot('house-single-sign-on');
    await unlink.press('Enter');
    await empty.waitFor();
    expect(await unlink.count()).toBe(0);
  });

  test('a group of the provider gets a role, and loses it', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/team');
    const heading = page.getByRole('heading', { name: 'Groups', exact: true });
    const section = page.locator('section').filter({ has: heading });
    await section.getByLabel('Group', { exact: true }).fill('*');
    await section.getByLabel('Domains (optional)', { exact: true }).fill('example.com, example.org');
    await section.getByRole('button', { name: 'Add group', exact: true }).press('Enter');
    await section.getByText('example.com, example.org', { exact: true }).waitFor();
    const remove = section.getByRole('button', { name: 'Remove group *', exact: true });
    await remove.press('Enter');
    await remove.waitFor({ state: 'detached' });
  });

  test('a member sees what they may do, and why not the rest', async () => {
    await memberOf(world, 'lin@example.com', 'member');
    await using lin = await viewer(world, { email: 'lin@example.com', workspace: world.start.username });
    for (const [path, words] of [
      ['/secrets', "You can't view secrets"],
      ['/audit', "You can't view the audit log"],
      ['/alerts', "You can't view alert rules"],
      ['/agents', "You can't view agent tokens"],
      ['/team', "You can't view invitations"],
      ['/outbox', "You can't view the outbox"],
    ] as const) {
      await lin.open(path);
      await lin.page.getByText(words).waitFor();
    }
    await lin.expectAccessible();
    expect(await lin.page.getByRole('link', { name: 'Outbox' }).count()).toBe(0);
    await lin.open('/templates');
    await lin.page.getByRole('button', { name: /^Disk usage/ }).click();
    const take = lin.page.getByRole('button', { name: 'Import Disk usage' });
    await take.and(lin.page.locator('[aria-disabled=true]')).waitFor();
  });

  test('mails that wait are read by operators, who pass their links on; what they quote is text', async () => {
    const letter = { channel: 'email', target: 'operator@localhost', events: ['approval.pending'] };
    await manage(world, 'POST', '/alerts', { name: 'letters', ...letter });
    await hold(world);
    // Alerts are sent after the call was answered.
    while (!(await mailTo(world, 'operator@localhost')).subject.startsWith('An approval is waiting'));
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/outbox');
    const mail = page.getByRole('listitem').filter({ hasText: 'to operator@localhost' }).first();
    await mail.getByText('Waiting', { exact: true }).waitFor();
    await mail.getByRole('button', { name: /An approval is waiting/ }).click();
    const text = await mail.locator('pre').innerText();
    expect(text).toContain(HOSTILE.slice(0, HOSTILE.indexOf('\u202E')));
    await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await mail.getByRole('button', { name: 'Copy link' }).click();
    await mail.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain(`\n${link}\n`);
    expect((await fetch(link)).status).toBe(200);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });
});

/** Chooses from a list as a person does: opens it, presses what it says. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Closes the dialog of a new token. */
async function copied(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'I have copied it' });
  await button.click();
  await button.waitFor({ state: 'detached' });
}

/** A call that waits for approval, with a value that tries to be markup. */
async function hold(world: HubWorld): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await new Approvals(world).callForApproval('guarded', {
    method: 'POST',
    headers,
    body: JSON.stringify({ word: HOSTILE }),
  });
}

async function manage(world: HubWorld, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await world.manage(path, { method, headers, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
}
