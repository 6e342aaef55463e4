// Failures that must never happen in the dashboard: a key that runs the wrong endpoint, a page that is gone for good, work that
// is lost.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

const ENDPOINTS = [
  { name: 'a-first', command: 'echo first' },
  { name: 'slow', command: 'sleep 1', tags: ['nightly', 'team-a'] },
  {
    name: 'deploy',
    command: 'set -e\nfor i in 1 2; do\n  deploy "{{to}}"\ndone',
    args: [{ name: 'to', type: 'text' }],
    approval_required: true,
  },
];

closeBrowserAtEnd();

describeInBrowser('nothing is lost', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({ endpoints: ENDPOINTS });
    const called = world.call('a-first');
    await agent.answer('first\n');
    await called;
    expect((await world.call('deploy?to=eu%0Aexit')).status).toBe(202);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test('the palette takes each key after Ctrl+K, and the page takes none', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/approvals');
    await page.getByRole('button', { name: 'Deny…' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dslow');
    await expectSoon(() => page.getByRole('combobox', { name: 'Search or run' }).inputValue(), 'dslow');
    expect(await page.getByRole('dialog', { name: 'Deny deploy?' }).count()).toBe(0);
  });

  test('Enter in an empty palette runs nothing, and Enter before the results are there waits for them', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /a-first/ }).waitFor();
    expect(await page.getByRole('option', { selected: true }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Search or run' }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('main h1').waitFor();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/endpoints?*', (route) => held.then(() => route.continue()));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('slow');
    await page.keyboard.press('Enter');
    answer();
    await page.getByRole('dialog', { name: 'Run slow' }).waitFor();
    const { items } = (await (await world.manage('/executions')).json()) as { items: unknown[] };
    expect(items).toHaveLength(2);
  });

  test('a person reads the lines of a command as written, its values apart, and decides where it is shown', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/approvals');
    const card = page.getByRole('article', { name: 'deploy waits for approval' });
    expect(await card.locator('pre').innerText()).toStartWith('set -e\nfor i in 1 2; do\n  deploy "');
    expect(await card.getByTitle('Value of to').innerText()).toMatch(/^eu\S+exit$/);
    await owner.shot('approvals');
    await card.getByRole('link', { name: 'deploy, version 1' }).waitFor();
    const { items } = (await (await world.manage('/approvals')).json()) as {
      items: { execution_id: string }[];
    };
    await owner.open(`/executions/${items[0]?.execution_id}`);
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await owner.expectAccessible();
    await owner.shot('execution-waits');
  });

  test('the palette finds by a typo, and has what was chosen last and the actions of the page', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('depoy');
    await page.getByRole('option', { name: /deploy/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const palette = page.getByRole('dialog', { name: 'Run deploy' });
    await palette.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page
      .getByRole('option')
      .first()
      .filter({ hasText: /Recent.*deploy/s })
      .waitFor();
    await page.getByRole('option', { name: 'Create endpoint' }).click();
    await page.waitForURL('**/endpoints/new');
    // The palette lists an execution among the recent ones once somebody has opened it, also after a reload.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('a-first');
    await page.getByRole('option', { name: /a-first, succeeded/ }).click();
    await page.waitForURL('**/executions/*');
    const execution = page.url();
    await owner.open('/endpoints/deploy');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Show History' }).waitFor();
    await page
      .getByRole('option')
      .first()
      .filter({ hasText: /Recent.*a-first$/s })
      .click();
    await page.waitForURL(execution);
    await owner.open('/endpoints/deploy');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Show History' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('tab') === 'history');
  });

  test('a page that was not visited yet opens when the hub is back, in the same frame', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    // Without the prefetch of an idle page: the hub goes away before it.
    await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }));
    await owner.open();
    await page.evaluate(() => Object.assign(document, { isTheSame: true }));
    await agent[Symbol.asyncDispose]();
    await world.restart(async () => {
      await page.getByText('Connection lost').waitFor();
      await page.getByRole('link', { name: 'Team' }).click();
      await page.getByText('This page opens when it is back.').waitFor();
    });
    agent = await world.agent({ endpoints: ENDPOINTS });
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
    expect(await page.evaluate(() => 'isTheSame' in document)).toBe(true);
    for (const complaint of owner.takeComplaints()) expect(complaint).toContain('Failed to load resource');
  });

  test('all pages load while the browser is idle', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    await owner.open();
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/RunPage-')),
    );
  });

  test('the sign-in leads back to the whole address', async () => {
    await using visitor = await viewer(world, { email: undefined });
    const { page } = visitor;
    const address = '/dashboard/endpoints/slow?tab=history';
    await page.goto(`${world.hub.hubUrl}${address}`);
    await page.waitForURL(({ searchParams }) => searchParams.get('to') === address);
    await page.getByLabel('Email').fill('operator@localhost');
    await page.getByRole('button', { name: /link/ }).click();
    await page.getByRole('heading', { name: 'No mail server' }).waitFor();
    const { signInUrl } = await world.hub.firstRun();
    await page.goto(signInUrl);
    await page.getByRole('button').first().click();
    await page.waitForURL(`**${address}`);
  });

  test('a session that ends takes the whole address to the sign-in', async () => {
    await using owner = await viewer(world);
    const { page, context } = owner;
    await owner.open('/executions?status=failed');
    const signIn = page.getByRole('heading', { name: 'Sign in to svc' });
    await context.clearCookies();
    // A request that the page still had to send leads to the sign-in as well.
    await page.getByRole('link', { name: 'Team' }).or(signIn).click();
    await signIn.waitFor();
    await page.waitForURL(({ searchParams }) =>
      /^\/dashboard\/(executions\?status=|team)/.test(searchParams.get('to') ?? ''),
    );
    for (const complaint of owner.takeComplaints()) expect(complaint).toContain('401');
  });

  test('a form asks before its page is left, and has its draft when it is opened again', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints/new');
    await page.getByLabel('Name', { exact: true }).fill('report');
    await page.getByLabel('Command', { exact: true }).fill('make report');
    await page.getByRole('link', { name: 'Team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Command', { exact: true }).textContent()).toBe('make report');
    await page.getByRole('link', { name: 'Team' }).click();
    await dialog.getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Your unsaved changes are restored.').waitFor();
    const command = () => page.getByLabel('Command', { exact: true }).textContent();
    await expectSoon(command, 'make report');
    await owner.expectAccessible();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expectSoon(command, '');
    await page.getByLabel('Name', { exact: true }).fill('report');
    await page.getByLabel('Command', { exact: true }).fill('make report');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.waitForURL('**/endpoints/report*');
    await owner.open('/endpoints/new');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });

  test('short forms ask before their page is left, too, and keep what was typed', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/team');
    const email = page.getByRole('textbox', { name: 'Email' });
    await email.fill('lin@example.com');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Your unsaved changes are restored.').waitFor();
    expect(await email.inputValue()).toBe('lin@example.com');
    await owner.expectAccessible();
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'admin' }).click();
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Invitation sent to lin@example.com').waitFor();
    await expectSoon(() => email.inputValue(), '');
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('draft'))),
    ).toEqual([]);
    // The next invitation is for the same role, and its form counts as unchanged.
    expect(await page.getByRole('combobox', { name: 'Role' }).textContent()).toContain('admin');
    const edit = page.getByRole('form', { name: 'New grant' }).getByRole('checkbox', { name: 'Edit' });
    await edit.click();
    await page.reload();
    await expectSoon(() => edit.isChecked(), true);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expectSoon(() => edit.isChecked(), false);
    await owner.open('/settings');
    const username = page.getByLabel('New username');
    await username.fill('other-name');
    await page.reload();
    await expectSoon(() => username.inputValue(), 'other-name');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expectSoon(() => username.inputValue(), '');
  });

  test('a page with several changed forms asks once', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/settings');
    await page.getByLabel('New username').fill('other-name');
    await page.getByLabel('New email address').fill('other@example.com');
    const agents = page.getByRole('link', { name: 'Agents', exact: true });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await agents.click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    // A person who stayed is asked again.
    await agents.click();
    await question.getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    await page.goBack();
    await expectSoon(() => page.getByLabel('New username').inputValue(), 'other-name');
    expect(await page.getByLabel('New email address').inputValue()).toBe('other@example.com');
    await agents.click();
    await question.getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
  });

  test('a new grant keeps its draft, and the next one begins with its kind and permissions', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints/slow?tab=access');
    const form = page.getByRole('form', { name: 'New grant' });
    const chosen = async () => ({
      kind: await form.locator('input[type=radio]:checked').evaluate((one) => one.parentElement?.textContent),
      can: await form
        .getByRole('checkbox', { checked: true })
        .evaluateAll((all) => all.map((one) => one.closest('label')?.textContent)),
    });
    const wanted = { kind: 'Group', can: ['Approve', 'Edit'] };
    await form.getByText('Group', { exact: true }).click();
    await form.getByRole('checkbox', { name: 'Run' }).click();
    await form.getByRole('checkbox', { name: 'Approve' }).click();
    await form.getByRole('checkbox', { name: 'Edit' }).click();
    const group = form.getByRole('combobox', { name: 'Group' });
    await group.fill('night-shift');
    await page.reload();
    await page.getByText('Your unsaved changes are restored.').waitFor();
    expect(await group.inputValue()).toBe('night-shift');
    expect(await chosen()).toEqual(wanted);
    await form.getByRole('button', { name: 'Create grant' }).click();
    await page.getByText('Grant for night-shift made').waitFor();
    await expectSoon(() => group.inputValue(), '');
    expect(await chosen()).toEqual(wanted);
    // The form keeps these values for the next grant, so nobody can lose them by leaving.
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    const { items } = (await (await world.manage('/team/endpoint-grants')).json()) as { items: unknown[] };
    expect(items).toMatchObject([{ grantee: 'night-shift', endpoints: ['slow'], can: ['approve', 'edit'] }]);
  });

  test('a sign-out removes the drafts of the tab', async () => {
    await using person = await viewer(world, { email: 'leaving@example.com' });
    const { page } = person;
    await person.open('/settings');
    await page.getByRole('textbox', { name: 'New email address' }).fill('other@example.com');
    const drafts = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('draft')));
    await expectSoon(async () => (await drafts()).length, 1);
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/login');
    expect(await drafts()).toEqual([]);
  });

  test('a drawn pipeline is restored after its page was left', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/pipelines/new');
    await page.getByRole('button', { name: /^Add step/ }).waitFor();
    expect(await page.getByText(/\d problems?$/).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('release');
    await page.getByRole('button', { name: /^Add step/ }).click();
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Your unsaved changes are restored.').waitFor();
    await expectSoon(() => page.getByLabel('Name', { exact: true }).first().inputValue(), 'release');
  });

  test('the first Escape keeps a dialog that has input, and so does the first step back', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('deploys');
    await page.keyboard.press('Escape');
    const warning = page.getByText('Press Escape or go back again to discard it.');
    await warning.waitFor();
    expect(await name.inputValue()).toBe('deploys');
    await owner.expectAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The browser's button to go back is the other way to leave it.
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('button', { name: 'Connect a machine' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('build server');
    await page.goBack();
    await warning.waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('build server');
    await page.goBack();
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
  });

  test('only its button closes the dialog of a new key', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('ci');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the API key now' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('endpoints stand in a table with their last runs in figures, and starred ones first', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const failed = world.call('slow');
    await agent.answer('oh\n', { kind: 'exited', exit_code: 1, duration_ms: 5_000 });
    await failed;
    await owner.open('/endpoints');
    const row = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row('slow').getByText('0 %').waitFor();
    await row('slow').getByText('5.0 s').waitFor();
    await row('slow').getByRole('img', { name: 'Last 1 runs, 1 failed' }).waitFor();
    await row('a-first').getByText('100 %').waitFor();
    expect((await row('slow').boundingBox())?.height ?? 0).toBeLessThanOrEqual(40);
    await owner.expectAccessible();
    await row('slow').getByRole('button', { name: 'Star slow' }).click();
    await page.reload();
    await page
      .getByRole('list', { name: 'endpoints' })
      .getByRole('listitem')
      .first()
      .getByRole('link', { name: 'slow', exact: true })
      .waitFor();
    await owner.shot('endpoints-table');
    await page.getByRole('link', { name: 'Show endpoints with the tag nightly', exact: true }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('tag') === 'nightly');
    const rows = page.getByRole('list', { name: 'endpoints' }).getByRole('listitem');
    await expectSoon(() => rows.count(), 1);
    await row('slow').waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).getByText('nightly', { exact: true }).waitFor();
    await owner.expectAccessible();
  });

  test('the table of endpoints says the state of each, and its headers order it', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const failed = world.call('slow');
    await agent.answer('oh\n', { kind: 'exited', exit_code: 1, duration_ms: 5_000 });
    await failed;
    await owner.open('/endpoints');
    const list = page.getByRole('list', { name: 'endpoints' });
    const row = (name: string) =>
      list.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row('slow').getByTitle('Failed', { exact: true }).first().waitFor();
    await row('a-first').getByTitle('Succeeded', { exact: true }).first().waitFor();
    await row('deploy').getByTitle('Needs approval', { exact: true }).first().waitFor();
    const names = () => list.getByRole('link', { name: /^(a-first|deploy|slow)$/ }).allInnerTexts();
    expect(await names()).toEqual(['a-first', 'deploy', 'slow']);
    const order = page.getByRole('group', { name: 'Order by' });
    await order.getByRole('button', { name: 'Success' }).press('Enter');
    await expectSoon(names, ['slow', 'a-first', 'deploy']);
    await page.waitForURL(({ searchParams }) => searchParams.get('sort') === 'success');
    await order.getByRole('button', { name: 'Success ascending', pressed: true }).press('Enter');
    await expectSoon(names, ['a-first', 'slow', 'deploy']);
    await owner.expectAccessible();
    await page.reload();
    await expectSoon(names, ['a-first', 'slow', 'deploy']);
    await order.getByRole('button', { name: 'p95' }).press('Enter');
    await expectSoon(names, ['slow', 'a-first', 'deploy']);
    await order.getByRole('button', { name: 'Name' }).press('Enter');
    await expectSoon(names, ['a-first', 'deploy', 'slow']);
    await order.getByRole('button', { name: 'Name ascending' }).press('Enter');
    await expectSoon(names, ['slow', 'deploy', 'a-first']);
    await owner.open('/endpoints?agent=elsewhere');
    await page.getByText('No endpoints match “elsewhere”').waitFor();
  });

  test('the list of executions has the last line of what runs, live', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const running = world.call('slow');
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'step one\nstep two\n');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === `/executions/${id}/stream`) asked.push(search);
    });
    await owner.open('/executions');
    const line = (text: string) =>
      page.getByRole('list', { name: 'executions' }).getByText(text, { exact: true });
    await line('step two').waitFor();
    expect([...new Set(asked)]).toEqual(['?last=4&before=end']);
    agent.output(id, 2, 'step three\n');
    await line('step three').waitFor();
    await owner.expectAccessible();
    agent.end(id, 2);
    await line('step three').waitFor({ state: 'detached' });
    await running;
  });

  test('a row whose last line cannot be read does not say that there is no output', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const running = world.call('slow');
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'step one\n');
    const refused = Promise.withResolvers<void>();
    await page.route(`**/executions/${id}/stream*`, async (route) => {
      await route.fulfill({ status: 400, json: {} });
      refused.resolve();
    });
    await owner.open('/executions');
    await refused.promise;
    const list = page.getByRole('list', { name: 'executions' });
    await list.getByText('Running').waitFor();
    expect(await list.getByText('No output yet').count()).toBe(0);
    agent.end(id, 1);
    await running;
    await list.getByText('Running').waitFor({ state: 'detached' });
    for (const complaint of owner.takeComplaints()) expect(complaint).toContain('400');
  });

  test('the chart says that the filters of the list do not apply to it', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const notice = owner.page.getByText('The other filters do not apply to the chart.');
    await owner.open('/executions?status=failed');
    await notice.waitFor();
    await owner.open('/executions?endpoint=slow&range=week');
    await owner.page.getByText(/^Last 7 days: /).waitFor();
    expect(await notice.count()).toBe(0);
  });

  test('a summary says what waits, and the count leads to the approvals', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    await owner.open('/executions');
    await page.getByText(/^Last 24 hours: \d+ executions, .+, 1 waiting\.$/).waitFor();
    await page.getByRole('link', { name: '1 waiting', exact: true }).click();
    await page.waitForURL('**/dashboard/approvals');
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
  });

  test('failures of one endpoint are one row with their count', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const fail = async () => {
      const failed = world.call('slow');
      await agent.answer('oh\n', { kind: 'exited', exit_code: 1, duration_ms: 5_000 });
      await failed;
    };
    await fail();
    await fail();
    await owner.open();
    const rows = page.getByRole('list', { name: 'Failed executions' }).getByRole('listitem');
    await rows.filter({ hasText: /slow × [2-9]/ }).waitFor();
    await expectSoon(() => rows.count(), 1);
  });

  test('a placeholder without an argument is offered as one', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints/new');
    await page.getByLabel('Command', { exact: true }).fill('ping {{host}}');
    await page.getByText('This placeholder is not an argument yet').waitFor();
    await owner.expectAccessible();
    await page.getByRole('button', { name: 'Add argument host' }).click();
    await page.getByText('This placeholder is not an argument yet').waitFor({ state: 'detached' });
    const argument = page.getByRole('group', { name: 'Argument 1' });
    await expectSoon(() => argument.getByLabel('Name', { exact: true }).inputValue(), 'host');
  });

  test('an open menu moves nothing', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/audit');
    const button = page.getByRole('button', { name: /^Account / });
    await makeItScroll(page);
    const before = await button.boundingBox();
    await button.click();
    await page.getByRole('menu').waitFor();
    expect(await button.boundingBox()).toEqual(before);
  });

  test('the values of a run form are kept until they are run', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    await owner.open('/endpoints/deploy');
    await page.getByLabel(/^to/).fill('eu');
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('These values are from your last visit.').waitFor();
    expect(await page.getByLabel(/^to/).inputValue()).toBe('eu');
    await owner.expectAccessible();
    await page.getByRole('button', { name: 'Clear values' }).click();
    expect(await page.getByLabel(/^to/).inputValue()).toBe('');
    await page.getByLabel(/^to/).fill('us');
    await page.reload();
    await page.getByText('These values are from your last visit.').waitFor();
    await page.getByRole('button', { name: 'Run deploy', exact: true }).click();
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
    await owner.open('/endpoints/deploy');
    await page.getByRole('button', { name: 'Run deploy', exact: true }).waitFor();
    expect(await page.getByLabel(/^to/).inputValue()).toBe('');
  });
});

/** A page with a scrollbar that takes place, as with a mouse. */
async function makeItScroll(page: Page): Promise<void> {
  await page.evaluate(() => {
    const main = document.querySelector('main') ?? document.body;
    main.style.minHeight = '4000px';
  });
}
