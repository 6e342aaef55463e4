// The frame around every page of the dashboard: themes, keys, the palette, roles, and a broken connection.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import {
  closeBrowserAtEnd,
  DESKTOP,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  PHONE,
  THEMES,
  viewer,
} from './dashboard.ts';

const HOSTILE =
  '<img src=x onerror=alert(1)>"\'\u202egnp.exe\u001b[31m{{x}}</script><script>alert(1)</script>';
const ENDPOINTS = [
  {
    name: 'hello',
    description: 'Says hello',
    command: 'echo {{name}}',
    args: [{ name: 'name', type: 'text', required: true }],
  },
  {
    name: 'deploy',
    description: HOSTILE,
    command: 'deploy {{target}}',
    args: [{ name: 'target', type: 'text' }],
    approval_required: true,
  },
  { name: 'build', command: 'make' },
];
const MAX_SCRIPT_BYTES = 130 * 1024;
const MAX_SCRIPTS = 10;

closeBrowserAtEnd();

describeInBrowser('the dashboard', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({ endpoints: ENDPOINTS });
    await memberOf(world, 'lin@example.com', 'member');
    await world.call('deploy', {
      method: 'POST',
      body: JSON.stringify({ target: HOSTILE }),
      headers: JSON_TYPE,
    });
    const failed = world.call('build');
    await agent.answer('error: no such file\n', { kind: 'exited', exit_code: 2, duration_ms: 5 });
    await failed;
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test.each(
    THEMES.flatMap((theme) => [[theme, 'desktop', DESKTOP] as const, [theme, 'phone', PHONE] as const]),
  )('says what waits, runs and went wrong, in the %s on a %s', async (theme, device, viewport) => {
    await using owner = await viewer(world, { theme, viewport });
    const { page } = owner;
    const running = world.call('hello', { method: 'POST', body: '{"name":"x"}', headers: JSON_TYPE });
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'step one\n\u001b[32mstep two\u001b[0m\n');
    await owner.open();
    await page.getByText('step two', { exact: true }).waitFor();
    await page.getByText('exit code 2').first().waitFor();
    await page.getByRole('img', { name: /^[1-9]\d* executions in the last 24 hours, 1 failed/ }).waitFor();
    const card = page.getByRole('article', { name: 'deploy waits for approval' });
    await card.locator('pre').filter({ hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    await owner.expectAccessible();
    await owner.expectNoSidewaysScroll();
    await owner.shot(`now-${theme}-${device}`);
    agent.end(id, 1);
    await page.getByText('Nothing is running.').waitFor();
    await running;
  });

  test('loads 130 KB of scripts at most in few files, and the rest when it is needed', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    await owner.open();
    await owner.page.getByText('exit code 2').first().waitFor();
    const scripts = () =>
      owner.page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter(({ name }) => name.endsWith('.js'))
          // Files that an idle page loads later are not part of the first view.
          .filter(
            ({ startTime }) =>
              startTime <
              (performance.getEntriesByName('svc:prefetch')[0]?.startTime ?? Number.POSITIVE_INFINITY),
          )
          .map(({ encodedBodySize }) => encodedBodySize),
      );
    const first = await scripts();
    const bytes = first.reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    expect(first.length).toBeLessThanOrEqual(MAX_SCRIPTS);
    await owner.page.getByRole('button', { name: /^Account / }).click();
    await owner.page.getByRole('menu').waitFor();
    await owner.page.waitForFunction(
      (before) =>
        performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length > before,
      first.length,
    );
  });

  test('shows Now without the names of a language, which a browser needs long to load', async () => {
    // A clock that stands still would replace `Intl`.
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    await page.addInitScript(() => {
      const Real = Intl.DateTimeFormat;
      Intl.DateTimeFormat = new Proxy(Real, {
        construct(format, given) {
          performance.mark('svc-test:names');
          return Reflect.construct(format, given);
        },
      });
    });
    await owner.open();
    await page.getByText('exit code 2').first().waitFor();
    expect(await page.evaluate(() => performance.getEntriesByName('svc-test:names').length)).toBe(0);
  });

  test('finds an endpoint, asks for what it needs, and runs it, from the keyboard', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or run' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('hello');
    await page.getByRole('option', { name: /^hello Says/ }).waitFor();
    await page.getByRole('option', { name: /deploy/ }).waitFor({ state: 'detached' });
    await owner.expectAccessible();
    await owner.shot('palette');
    await page.keyboard.press('Enter');
    await page.getByLabel(/^name/).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Ada');
    await owner.expectAccessible();
    await page.keyboard.press('Enter');
    const { execution_id: id, ...order } = await agent.receive('run');
    expect(JSON.stringify(order)).toContain('Ada');
    agent.output(id, 1, 'Ada\n');
    agent.end(id, 1);
    await page.waitForURL(`**/dashboard/executions/${id}`);
    await page.getByText('Succeeded').first().waitFor();
  });

  test('goes where its keys lead, and along rows', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.waitFor();
    await owner.expectAccessible();
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Endpoints', exact: true }).waitFor();
    await page.locator('main [data-row]').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.locator('main [data-row][data-index="0"] :focus').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ge');
    await expectSoon(() => page.getByRole('searchbox').inputValue(), 'ge');
  });

  test('approves after the command was shown once more, and shows the result by itself', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    await page
      .getByRole('article', { name: 'deploy waits for approval' })
      .getByRole('button', { name: 'Approve…' })
      .waitFor();
    await page.keyboard.press('a');
    const asked = page.getByRole('dialog', { name: 'Run deploy?' });
    await asked.locator('pre').filter({ hasText: 'deploy <img' }).waitFor();
    await owner.expectAccessible();
    await asked.getByText(/^Requested/).waitFor();
    await asked.getByText('deploy, version 1').waitFor();
    await asked.getByLabel('Comment (optional)').fill('after the backup');
    await owner.shot('approve');
    await asked.getByRole('button', { name: 'Approve and run' }).click();
    const { execution_id: id } = await agent.receive('run');
    await page.getByRole('link', { name: 'View execution' }).waitFor();
    await asked.waitFor({ state: 'detached' });
    // The toast takes no keys.
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.waitFor();
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
    const { items } = (await (await world.manage('/approvals?status=decided')).json()) as {
      items: unknown[];
    };
    expect(items).toMatchObject([{ endpoint: 'deploy', comment: 'after the backup' }]);
    await page.getByText('Needs your approval').waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Running executions' }).getByText('deploy').waitFor();
    agent.end(id, 0);
    await page.getByText('Nothing is running.').waitFor();
  });

  test('shows a member what they may not do, with the reason, and leaves out what is not for them', async () => {
    const { username } = world.start;
    await using member = await viewer(world, { email: 'lin@example.com', workspace: username });
    const { page } = member;
    await member.open('/endpoints');
    const button = page.getByRole('button', { name: 'Create endpoint' });
    await button.and(page.locator('[aria-disabled=true]')).waitFor();
    await button.focus();
    await page
      .getByText('Your role is member. Only the owner and admins can do this.')
      .locator('visible=true')
      .first()
      .waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await member.expectAccessible();
  });

  test('leads a removed member to their own workspace', async () => {
    const { username } = world.start;
    await using member = await viewer(world, { email: 'lin@example.com', workspace: username });
    const { page } = member;
    await member.open();
    await page.getByRole('heading', { name: 'Failed' }).waitFor();
    const { items } = (await (await world.manage('/team/members')).json()) as {
      items: { id: string; email: string }[];
    };
    const { id } = items.find(({ email }) => email === 'lin@example.com') ?? {};
    // The next page begins without what this one had chosen.
    await page.addInitScript(() => sessionStorage.removeItem('svc.workspace'));
    expect((await world.manage(`/team/members/${id}`, { method: 'DELETE' })).status).toBe(204);
    await page.waitForURL(/\/(?:login|dashboard)\b/);
    await page.getByRole('heading', { name: /Choose a username|Sign in to svc/ }).waitFor();
    for (const complaint of member.takeComplaints()) expect(complaint).toMatch(/40[13]/);
  });

  test('keeps the chosen theme', async () => {
    await using owner = await viewer(world, { theme: 'light' });
    const { page } = owner;
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await owner.open();
    const light = await paper();
    await page.getByRole('button', { name: /^Account / }).click();
    await owner.expectAccessible();
    await page.getByRole('menuitem', { name: 'Dark theme' }).click();
    await page.locator('html[data-theme=dark]').waitFor();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.locator('main h1').waitFor();
    await expectSoon(paper, dark);
  });

  test('says that an address leads nowhere', async () => {
    await using owner = await viewer(world);
    await owner.open('/no/such/page');
    expect(await owner.page.locator('h1').innerText()).toBe('Page not found');
    await owner.expectAccessible();
  });

  test('says that the connection is lost, and shows what happened meanwhile when it is back', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    await owner.open();
    await page.getByText('Nothing is running.').waitFor();
    await agent[Symbol.asyncDispose]();
    await world.restart(async () => {
      await page.getByText('Connection lost').waitFor();
      await owner.shot('connection-lost');
    });
    agent = await world.agent({ endpoints: ENDPOINTS });
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    const running = world.call('build');
    const { execution_id: id } = await agent.receive('run');
    await page.getByRole('list', { name: 'Running executions' }).getByText('build').waitFor();
    agent.end(id, 0);
    await running;
    // Browsers write down each connection that was refused.
    for (const complaint of owner.takeComplaints()) expect(complaint).toContain('Failed to load resource');
  });

  test('leads to the sign-in when the session is over', async () => {
    await using owner = await viewer(world, { email: 'eve@example.com' });
    const { page, context } = owner;
    await owner.open();
    await page.getByLabel('Username').fill('eve');
    const choose = page.getByRole('button', { name: 'Choose eve' });
    await choose.waitFor();
    const signIn = page.getByRole('heading', { name: 'Sign in to svc' });
    await context.clearCookies();
    // A request that the page still had to send leads to the sign-in as well.
    await choose.or(signIn).click();
    await signIn.waitFor();
    for (const complaint of owner.takeComplaints()) expect(complaint).toContain('401');
  });
});

const JSON_TYPE = { 'content-type': 'application/json' } as const;
