// Endpoints in a real browser: found among a thousand, run by form, called by snippets, changed by those with the permission.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  PHONE,
  tabTo,
  untilTitled,
  viewer,
  watchStalls,
} from './dashboard.ts';

closeBrowserAtEnd();

const HOSTILE = '<img src=x onerror="document.title=1"> \u202Etxt.exe {{name}}';
const DEPLOY = {
  name: 'deploy',
  description: HOSTILE,
  command: 'sh -c "echo to \\$0; echo of \\$1; env | grep TOKEN" {{region}} {{branch}}',
  args: [
    { name: 'branch', required: true, pattern: '[a-z]+', description: HOSTILE },
    { name: 'region', choices: ['eu', 'us', '<b>'], default: 'eu' },
    { name: 'count', type: 'integer' },
    { name: 'token', secret: true },
  ],
};
const MANY = Array.from({ length: 1_000 }, (_, n) => ({
  name: `job-${String(n).padStart(4, '0')}`,
  command: 'true',
}));

const LISTED = [
  { name: 'zones', command: 'sh -c "echo eu; echo us"' },
  {
    name: 'servers',
    command: 'echo web-{{zone}}',
    args: [{ name: 'zone', type: 'word', required: true }],
  },
  {
    name: 'restart',
    command: 'echo restarted {{server}}',
    args: [
      { name: 'zone', required: true, choices_from: 'zones' },
      { name: 'server', required: true, choices_from: 'servers', choices_args: { zone: '{{zone}}' } },
    ],
  },
];

const COUNT = {
  name: 'count-bytes',
  command: 'wc -c {{photo}}',
  args: [{ name: 'photo', type: 'file', required: true, accept: ['text/plain'], max_bytes: 20_000 }],
};

describeInBrowser('an endpoint', () => {
  let world: HubWorld;
  let agent: RealAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await realAgent(world, [
      DEPLOY,
      { name: 'nightly', command: 'echo done', schedule: '0 3 * * *', timeout: 30 },
      { name: 'guarded', command: 'echo approved', approval_required: true },
      ...LISTED,
      COUNT,
      ...MANY,
    ]);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const looking = (options: Parameters<typeof viewer>[1] = {}) =>
    viewer(world, { time: 'goes on', ...options });

  test('is found among a thousand, of which only those in sight are made', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints');
    const rows = page.getByRole('list', { name: 'endpoints' }).getByRole('listitem');
    await rows.first().waitFor();
    await ada.expectAccessible();
    await using stalls = await watchStalls(page);
    for (let step = 0; step < 3; step += 1) {
      const before = await rows.first().getAttribute('aria-setsize');
      await page.waitForFunction((size) => {
        window.scrollTo(0, document.documentElement.scrollHeight);
        const row = document.querySelector('[data-row]');
        return row !== null && row.getAttribute('aria-setsize') !== size;
      }, before);
    }
    expect(await rows.count()).toBeLessThan(60);
    expect(await stalls.longestMs()).toBeLessThan(400);
    await ada.shot('endpoints');
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('job-0777');
    await page.getByRole('link', { name: 'job-0777', exact: true }).waitFor();
    await expectSoon(() => rows.count(), 1);
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'job-0777');
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('nowhere');
    await page.getByText('No endpoints match “nowhere”').waitFor();
  });

  test('takes a value from a list that depends on another list', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints/restart');
    await page.getByText('2 values to choose from.').waitFor();
    const suggested = () =>
      page
        .locator('datalist option')
        .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    await expectSoon(suggested, ['eu', 'us']);
    await page.getByText('Give zone first.').waitFor();
    await page.getByRole('combobox', { name: 'zone', exact: false }).fill('us');
    await page.getByText('1 value to choose from.').waitFor();
    await expectSoon(suggested, ['eu', 'us', 'web-us']);
    await page.getByRole('combobox', { name: 'server', exact: false }).fill('web-us');
    await ada.expectAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('restarted web-us', { exact: true }).waitFor();
  });

  test('is run by keyboard alone; its form says what the API would', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints/deploy');
    await page.getByRole('button', { name: 'Run deploy' }).waitFor();
    await untilTitled(page, 'deploy · svc');
    const text = await page.locator('main').innerText();
    // In the description of the endpoint, and in that of its argument.
    expect(text.split('<img src=x onerror="document.title=1"> U+202Etxt.exe {{name}}')).toHaveLength(3);
    expect(text).not.toContain('\u202E');
    await tabTo(page, /^Run deploy$/);
    await page.keyboard.press('Enter');
    await page.getByText('Required', { exact: true }).waitFor();
    // Where it is wrong is where one types.
    await page.locator('[data-invalid] textarea:focus').waitFor();
    await page.keyboard.type('MAIN');
    await page.getByText('Must match [a-z]+').waitFor();
    await ada.expectAccessible();
    for (let letter = 0; letter < 4; letter += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('main');
    await page.getByRole('textbox', { name: 'count', exact: false }).fill('1.5');
    await page.getByText('"1.5" is not an integer').waitFor();
    await page.getByRole('textbox', { name: 'count', exact: false }).fill('');
    await page.locator('select').selectOption({ label: 'us' });
    await page.locator('input[type=password]').fill('hunter2');
    await page.locator('form code').filter({ hasText: 'us main' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('of main', { exact: true }).waitFor();
    await page.getByText('End of output; exit code 0').waitFor();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('to us', { exact: true }).waitFor();
    await output.getByText('SVC_ARG_TOKEN=***', { exact: true }).waitFor();
    await ada.expectAccessible();
    await ada.shot('endpoint-run');

    const snippet = await page.locator('pre').filter({ hasText: '"branch":"main"' }).innerText();
    expect(snippet).toContain('<token>');
    expect(snippet).not.toContain('hunter2');
    await page.reload();
    await page.getByText('of main', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('list', { name: 'Last executions' }).getByText('Succeeded').waitFor();
    await ada.expectAccessible();
    await ada.shot('endpoint-history');
  });

  test('takes a file, says before which, shows the upload, and can be stopped', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints/count-bytes');
    const form = page.getByRole('form', { name: 'Run count-bytes' });
    const run = form.getByRole('button', { name: 'Run count-bytes' });
    await form.getByText('Accepts a file of type text/plain, up to 20 kB.').waitFor();
    await run.press('Enter');
    await form.getByText('Required: choose a file').waitFor();
    await page.locator('[data-invalid] input[type=file]:focus').waitFor();
    const field = form.locator('input[type=file]');
    const text = (bytes: number) => ({
      name: 'a b.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(bytes, 'x'),
    });
    await field.setInputFiles(text(20_100));
    await form.getByText('the file has 20.1 kB; at most 20 kB are accepted').waitFor();
    await field.setInputFiles(text(12_345));
    await form.locator('code').filter({ hasText: 'a b.txt' }).waitFor();
    // The upload stands still where the hub gets nothing of it.
    const held = Promise.withResolvers<void>();
    await page.route('**/endpoints/count-bytes/executions', async (route) => {
      await held.promise;
      await route.abort().catch(() => undefined);
    });
    await run.press('Enter');
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    await ada.expectAccessible();
    await page.getByRole('button', { name: 'Cancel upload' }).press('Enter');
    await form.getByRole('alert').getByText('the upload was cancelled').waitFor();
    held.resolve();
    await page.unroute('**/endpoints/count-bytes/executions');
    await run.press('Enter');
    await page.getByRole('region', { name: 'Output' }).getByText('12345').waitFor();
    await page.getByText('End of output; exit code 0').waitFor();
  });

  test('that waits for approval is approved where it was run, and streams', async () => {
    await using ada = await looking({ theme: 'dark' });
    const { page } = ada;
    await ada.open('/endpoints/guarded');
    await page.getByRole('button', { name: 'Run guarded' }).click();
    const card = page.getByRole('article', { name: 'guarded waits for approval' });
    await card.getByText('echo approved').waitFor();
    await ada.expectAccessible();
    await card.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and run' }).click();
    await page.getByText('approved', { exact: true }).waitFor();
  });

  test('is made, changed with its versions compared, and deleted; the form checks as svc.yaml is checked', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints/new');
    const command = page.getByRole('textbox', { name: 'Command' });
    await page.getByRole('textbox', { name: 'Name' }).fill('made');
    await command.fill('eval {{word}}');
    await page.getByRole('button', { name: 'Add argument', exact: true }).click();
    await page.getByRole('group', { name: 'Argument 1' }).getByRole('textbox', { name: 'Name' }).fill('word');
    await page.getByText(/column 6: \{\{word\}\}/).waitFor();
    await ada.expectAccessible();
    await ada.shot('endpoint-new');
    await command.fill('echo {{word}}');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByRole('button', { name: 'Run made' }).waitFor();

    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Schedule' }).fill('61 * * * *');
    await page.getByText(/0-59/).waitFor();
    await page.getByRole('textbox', { name: 'Schedule' }).fill('*/15 * * * *');
    await page.getByText('Runs every 15 minutes, UTC; next').waitFor();
    await ada.expectAccessible();
    await page.getByRole('button', { name: 'Save made' }).click();
    await page.getByText('made saved as version 2').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    const changed = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: /^Version 2/ }) })
      .last();
    await expectSoon(() => changed.locator('dt').allInnerTexts(), ['schedule']);
    await page.getByRole('tab', { name: 'Schedule' }).click();
    await page.getByText('every 15 minutes, UTC').waitFor();
    await page.getByRole('switch', { name: 'Active' }).click();
    await page.getByRole('switch', { name: 'Paused' }).waitFor();
    await ada.expectAccessible();

    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete made' }).click();
    await page.getByRole('dialog').getByLabel('Type made to confirm').fill('made');
    // The page gets the event of the deletion before the deletion is answered. So when the next row appears, the page has
    // processed the earlier events.
    await page.route('**/endpoints/made', async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fallback();
      const response = await route.fetch();
      await world.call('guarded');
      await page.getByText('1 waiting').first().waitFor();
      return await route.fulfill({ response });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete made' }).click();
    await page.getByRole('heading', { name: 'Endpoints', exact: true }).waitFor();
    expect((await world.manage('/endpoints/made')).status).toBe(404);
  });

  test('of a file is overridden where the file does not decide alone, until that is taken away', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/endpoints/nightly?tab=settings');
    expect(await page.getByRole('textbox', { name: 'Command' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Timeout (seconds)' }).fill('20');
    await page.getByRole('button', { name: 'Save nightly' }).click();
    await page.getByText('timeout 20 s').waitFor();
    await page.getByRole('button', { name: 'Remove override of timeout' }).click();
    await page.getByText('timeout 30 s').waitFor();
    await page.getByText('Overrides of svc.yaml').waitFor({ state: 'detached' });
    await ada.shot('endpoint-settings');
  });

  test('may be run by a member, and changed by an admin: what is disabled says why, and the API agrees', async () => {
    await memberOf(world, 'member@example.com', 'member');
    await using mia = await looking({ email: 'member@example.com', workspace: world.start.username });
    const { page } = mia;
    await mia.open('/endpoints/nightly?tab=settings');
    const save = page.getByRole('button', { name: 'Save nightly' });
    await expectSoon(() => save.isDisabled(), true);
    const reason = await save.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${reason}"]`).textContent()).toContain(
      'Only the owner and admins can do this',
    );
    expect(await page.getByRole('button', { name: 'Run nightly' }).isEnabled()).toBe(true);
    const refused = await page.evaluate(
      async (name) =>
        (
          await fetch('/endpoints/nightly', {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', 'X-Svc-Workspace': name },
            body: '{"timeout":5}',
          })
        ).status,
      world.start.username,
    );
    expect(refused).toBe(403);
    mia.takeComplaints();
  });

  test.each(['/endpoints', '/endpoints/deploy?tab=settings'])(
    'fits a phone in the dark: %s',
    async (path) => {
      await using ada = await looking({ viewport: PHONE, theme: 'dark' });
      await ada.open(path);
      await ada.page.locator('main form, main ul').first().waitFor();
      await ada.expectNoSidewaysScroll();
      await ada.expectAccessible();
      await ada.shot(`phone${path.replaceAll(/[^a-z]+/g, '-')}`);
    },
  );
});
