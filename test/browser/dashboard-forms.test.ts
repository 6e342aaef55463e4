// Forms and stable layout in a real browser: pickers, schedules, versions, times, and the tab itself.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { NOW_WAIT_MS, PAGE_WAIT_MS } from '@svc/web/page-wait';
import type { Page } from 'playwright-core';
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

/** The aim of the pages; 0.1 counts as bad. */
const MAX_LAYOUT_SHIFT = 0.02;
const STILL_PAGES = [
  ...['/', '/endpoints', '/pipelines', '/approvals', '/schedules', '/agents', '/secrets'],
  ...['/api-keys', '/alerts', '/templates', '/team', '/usage', '/audit', '/settings'],
  ...['/executions', '/endpoints/build', '/endpoints/made?tab=settings', '/outbox'],
];
/** A window of 1280 by 1024 at 400 %, as WCAG 1.4.10 has it. */
const ZOOMED = { width: 320, height: 256 };
/** Pages that load parts on their own, which need no measure of shifts. */
const ZOOMED_PAGES = ['/endpoints/new', '/pipelines/new', '/live', '/nowhere'];

/** The buttons that open a dialog, by page. */
const DIALOGS: readonly (readonly [path: string, buttons: readonly (string | RegExp)[]])[] = [
  [
    '/api-keys',
    ['Create API key', 'Connect an AI client', 'Create service account', 'Rotate key ci', 'Revoke key ci'],
  ],
  ['/agents', ['Connect a machine', 'Create agent token', /^Revoke agent token/]],
  ['/secrets', ['Create secret']],
  ['/alerts', ['Create alert rule']],
  ['/team', ['Remove lin@example.com']],
  ['/settings', ['Sign out everywhere', 'Delete workspace']],
  ['/endpoints/made?tab=settings', ['Delete made']],
  ['/endpoints/made?tab=versions', [/^Restore version/]],
  ['/pipelines/release', ['Delete pipeline']],
];

/** For a test that opens every page, on a machine that does much else. */
const MANY_PAGES_MS = 300_000;

closeBrowserAtEnd();

describeInBrowser('forms and pages', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  let pages: readonly string[];
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'build', command: 'make' },
        { name: 'nightly', command: 'true', schedule: '0 3 * * *' },
      ],
    });
    const done = world.call('build', { method: 'POST', headers: { accept: 'application/json' } });
    await agent.answer('done\n');
    const { execution_id: execution } = (await (await done).json()) as { execution_id: string };
    const run = await runPipeline(world, agent);
    pages = [...STILL_PAGES, ...[`/executions/${execution}`, '/pipelines/release', `/pipeline-runs/${run}`]];
    await memberOf(world, 'lin@example.com', 'member');
    for (const [path, body] of [
      ['/api-keys', { name: 'ci' }],
      ['/team/invite', { email: 'new@example.com', role: 'member' }],
      ['/endpoints', { name: 'made', command: 'echo one\necho two' }],
    ] as const)
      expect((await manage(world, 'POST', path, body)).status).toBeLessThan(300);
    const changed = { command: 'echo one\necho 2\necho three', version: 1 };
    expect((await manage(world, 'PATCH', '/endpoints/made', changed)).status).toBe(200);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test.each([
    ['a desk', DESKTOP],
    ['a phone', PHONE],
  ])(
    'no page moves while it loads, on %s',
    async (_, viewport) => {
      await using ada = await viewer(world, { viewport, time: 'goes on' });
      await ada.page.addInitScript(recordShifts);
      await ada.page.addInitScript(waitForData, [PAGE_WAIT_MS, NOW_WAIT_MS]);
      const shifts: Record<string, number> = {};
      for (const path of pages) {
        await ada.open(path);
        await ada.page.locator('main [role="status"]:has(.sr-only)').first().waitFor({ state: 'detached' });
        const shift = await ada.page.evaluate(shiftAfterNextFrame);
        if (shift > MAX_LAYOUT_SHIFT) shifts[path] = shift;
      }
      expect(shifts).toEqual({});
    },
    MANY_PAGES_MS,
  );

  test(
    'each page can be used at 400 %',
    async () => {
      await using ada = await viewer(world, { viewport: ZOOMED, theme: 'dark' });
      const tooWide: Record<string, number> = {};
      for (const path of [...pages, ...ZOOMED_PAGES]) {
        await ada.open(path);
        await ada.page.locator('main [role="status"]:has(.sr-only)').first().waitFor({ state: 'detached' });
        await ada.expectAccessible();
        const width = await ada.page.evaluate(() => document.documentElement.scrollWidth);
        if (width > ZOOMED.width) tooWide[path] = width;
      }
      expect(tooWide).toEqual({});
    },
    MANY_PAGES_MS,
  );

  test.each(THEMES)(
    'no dialog has anything that axe finds, in the %s',
    async (theme) => {
      await using ada = await viewer(world, { theme });
      const { page } = ada;
      const dialog = page.getByRole('dialog');
      for (const [path, buttons] of DIALOGS) {
        await ada.open(path);
        for (const name of buttons) {
          await page.getByRole('button', { name, exact: true }).first().click();
          await dialog.waitFor();
          await ada.expectAccessible();
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
        }
      }
    },
    MANY_PAGES_MS,
  );

  test('the title and the icon of the tab say what runs, and what failed while it was hidden', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open();
    await page.getByText('Nothing is running.').waitFor();
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    const plain = await icon();
    const call = world.call('build');
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'linking\n');
    await page.waitForFunction(() => document.title === '1 running · Now · svc');
    expect(await icon()).toContain('icon-running');
    await page.getByRole('list', { name: 'Running executions' }).getByText('linking').waitFor();
    await ada.expectAccessible();
    await ada.shot('now-running');
    const read = page.waitForResponse((response) => response.url().includes('status=failed'));
    await page.evaluate(setHidden, true);
    await (await read).finished();
    agent.end(id, 1, { kind: 'exited', exit_code: 1, duration_ms: 5 });
    await call;
    await page.waitForFunction(() => document.title === '1 failed · Now · svc');
    expect(await icon()).toContain('icon-failed');
    await page.evaluate(setHidden, false);
    await page.waitForFunction(() => document.title === 'Now · svc');
    expect(await icon()).toBe(plain);
  });

  test('times are those of the reader, with UTC beside', async () => {
    await using ada = await viewer(world, { timezoneId: 'Asia/Kolkata' });
    const { page } = ada;
    await ada.open('/endpoints/nightly?tab=schedule');
    const next = page.getByRole('listitem').locator('time').first();
    expect(await next.innerText()).toMatch(/^\d{4}-\d\d-\d\d 08:30:00 IST$/);
    expect(await next.getAttribute('title')).toMatch(/ 03:00:00 UTC$/);
  });

  test('the dialog of an alert rule has its buttons in sight, and offers endpoints, agents and members', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/alerts');
    await page.getByRole('button', { name: 'Create alert rule' }).first().click();
    const dialog = page.getByRole('dialog');
    const create = await dialog.getByRole('button', { name: 'Create rule' }).boundingBox();
    const box = await dialog.boundingBox();
    if (create === null || box === null) throw new Error('the dialog is not there');
    expect(create.y + create.height).toBeLessThanOrEqual(Math.min(box.y + box.height, DESKTOP.height));
    await ada.expectAccessible();
    await ada.shot('alert-dialog');
    await dialog.getByLabel('Endpoint or pipeline').fill('buil');
    await page.getByRole('option', { name: 'build', exact: true }).click();
    await expectSoon(() => dialog.getByLabel('Endpoint or pipeline').inputValue(), 'build');
    await dialog.getByRole('combobox', { name: 'Agent' }).click();
    await ada.expectAccessible();
    await page.getByRole('option').first().click();
    await pick(page, 'Send to', 'Email to a member');
    await dialog.getByLabel('Email of a member').click();
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    await expectSoon(() => dialog.getByLabel('Email of a member').inputValue(), 'lin@example.com');
  });

  test('a schedule is put together, and its next runs are shown', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints/new');
    await pick(page, 'Repeat', 'Every week');
    await pick(page, 'On', 'Friday');
    await page.getByLabel('At (UTC)').fill('06:30');
    await expectSoon(() => page.getByRole('textbox', { name: 'Schedule' }).inputValue(), '30 6 * * 5');
    await page.getByText('Runs at 06:30 on Fridays, UTC; next').waitFor();
    await expectSoon(() => page.getByRole('list', { name: 'Next runs' }).getByRole('listitem').count(), 3);
    await page.getByRole('textbox', { name: 'Schedule' }).fill('*/7 * * * *');
    await page.getByRole('combobox', { name: 'Repeat' }).getByText('Cron expression').waitFor();
    await ada.expectAccessible();
    await ada.shot('schedule-field');
    await pick(page, 'Repeat', 'Never');
  });

  test('approvers are picked among roles and people, or typed', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints/new');
    await page.getByRole('switch', { name: 'Require approval' }).click();
    const field = page.getByRole('combobox', { name: 'Approvers' });
    await field.fill('lin');
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    await field.fill('bob');
    await field.press('Tab');
    await page.getByText(/"bob": owner, admin, member or/).waitFor();
    await page.getByRole('button', { name: 'Remove bob' }).click();
    await page.getByText(/"bob"/).waitFor({ state: 'detached' });
    await ada.expectAccessible();
    await ada.shot('approvers');
  });

  test('a version shows the lines that changed, and is restored', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints/made?tab=versions');
    const second = page.locator('section').filter({ has: page.getByRole('heading', { name: /^Version 2/ }) });
    const lines = async () =>
      (await second.last().locator('dd > div').allInnerTexts()).map((text) =>
        text.replaceAll(/\s+/g, ' ').trim(),
      );
    await expectSoon(lines, ['echo one', '− was echo two', '+ is echo 2', '+ is echo three']);
    await ada.expectAccessible();
    await ada.shot('versions');
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByText('Changes command.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('made saved as version 3').waitFor();
    const { command } = (await (await world.manage('/endpoints/made')).json()) as { command: string };
    expect(command).toBe('echo one\necho two');
  });

  test('a command is edited with its arguments set apart: every key is text, Tab leaves the editor, a problem returns to it', async () => {
    await using ada = await viewer(world, { theme: 'dark' });
    const { page } = ada;
    await ada.open('/endpoints/new');
    const command = page.getByRole('textbox', { name: 'Command', exact: true });
    await command.click();
    // Each of these keys is a shortcut elsewhere.
    await page.keyboard.type('jq /k?g {{word}} $svc:TOKEN');
    await expectSoon(() => command.textContent(), 'jq /k?g {{word}} $svc:TOKEN');
    await expectSoon(() => command.locator('.cm-argument').allInnerTexts(), ['{{word}}']);
    await expectSoon(() => command.locator('.cm-secret').allInnerTexts(), ['$svc:TOKEN']);
    await ada.expectAccessible();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Add argument word' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('edited');
    await command.fill('eval {{word}}');
    await page.getByRole('button', { name: 'Add argument word' }).click();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByText(/column 6: \{\{word\}\}/).waitFor();
    await command.and(page.locator(':focus[aria-invalid=true]')).waitFor();
    await ada.shot('command-editor');
  });

  test('an expression and a jq filter have the editor of the command, on several lines', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('sizes');
    await page.getByRole('textbox', { name: 'Command', exact: true }).fill('du -k');
    await page.getByRole('combobox', { name: 'Parse output as' }).click();
    await page.getByRole('option', { name: 'regex', exact: true }).click();
    const expression = page.getByRole('textbox', { name: 'Expression', exact: true });
    await expression.click();
    await page.keyboard.type('(?<kb>[0-9]+) (');
    await page.keyboard.press('Tab');
    await page.getByRole('textbox', { name: 'jq filter', exact: true }).and(page.locator(':focus')).waitFor();
    // Each of these keys is a shortcut elsewhere.
    await page.keyboard.type('map(.kb)');
    await page.keyboard.press('Enter');
    await page.keyboard.type('| add # /?');
    const filter = page.getByRole('textbox', { name: 'jq filter', exact: true });
    await expectSoon(() => filter.locator('.cm-line').allInnerTexts(), ['map(.kb)', '| add # /?']);
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await expression.and(page.locator(':focus[aria-invalid=true]')).waitFor();
    await ada.expectAccessible();
    await ada.shot('transform-editors');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('(?<kb>[0-9]+)');
    await expectSoon(() => expression.textContent(), '(?<kb>[0-9]+)');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByRole('heading', { name: 'sizes', exact: true }).waitFor();
    const { transform } = (await (await world.manage('/endpoints/sizes')).json()) as {
      transform: { pattern: string; select: string };
    };
    expect(transform).toMatchObject({ pattern: '(?<kb>[0-9]+)', select: 'map(.kb)\n| add # /?' });
  });

  test('a command is run before its endpoint is created, and nothing of the test stays', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('tail-log');
    await page.getByLabel('Command', { exact: true }).fill('tail -n {{lines}} app.log');
    await page.getByRole('button', { name: 'Add argument lines' }).getByText('(integer)').waitFor();
    await page.getByRole('button', { name: 'Add argument lines' }).click();
    await page.getByRole('button', { name: 'Test run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('lines').fill('3');
    await dialog.getByRole('button', { name: /^Run test-/ }).click();
    await agent.answer('the last three lines\n');
    await dialog.getByText('the last three lines').waitFor();
    await ada.expectAccessible();
    await ada.shot('test-run');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const slugs = async () => {
      const { items } = (await (await world.manage('/endpoints')).json()) as { items: { slug: string }[] };
      return items.map(({ slug }) => slug).filter((slug) => /^(?:test-|tail-log)/.test(slug));
    };
    while ((await slugs()).length > 0);
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).first();
    await expectSoon(() => name.inputValue(), 'tail-log');
  });

  test('each problem of a new pipeline names its place and leads to it', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/pipelines/new');
    await page.getByText('Drag from a handle').waitFor();
    await page.getByRole('button', { name: 'Add step after trigger' }).click();
    await page.getByLabel('Endpoint').fill('biuld');
    await page.getByRole('button', { name: 'trigger' }).first().waitFor();
    const problems = page.getByRole('status').filter({ hasText: /\d problems?/ });
    await problems.getByText('Name', { exact: true }).waitFor();
    expect(await problems.innerText()).not.toContain('slug');
    await page.locator('[data-canvas]').getByText('trigger', { exact: true }).click();
    await page.getByLabel('Endpoint').waitFor({ state: 'detached' });
    // The step has the name of its endpoint.
    await problems.getByRole('button', { name: 'biuld', exact: true }).first().click();
    await page.getByLabel('Endpoint').waitFor();
    await ada.expectAccessible();
    await ada.shot('pipeline-problems');
  });

  test('pipelines are found by their tags', async () => {
    const nodes = [{ id: 'make', endpoint: 'build' }];
    expect((await manage(world, 'POST', '/pipelines', { slug: 'untagged', nodes })).status).toBe(201);
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/pipelines');
    const rows = page.getByRole('list', { name: 'pipelines', exact: true }).getByRole('listitem');
    await expectSoon(() => rows.count(), 2);
    await page.getByRole('link', { name: 'Show pipelines with the tag weekly' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('tag') === 'weekly');
    await expectSoon(() => rows.count(), 1);
    await rows.getByRole('link', { name: 'release', exact: true }).waitFor();
    await ada.expectAccessible();
    await pick(page, 'Tag', 'All tags');
    await expectSoon(() => rows.count(), 2);
  });

  test('the team names its owner, and the settings the account', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/team');
    await page.getByText('operator@localhost', { exact: true }).waitFor();
    await ada.open('/settings');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.getByText(`${world.start.username}, you are owner`).waitFor();
    await page.getByRole('list', { name: 'sessions' }).getByText('this browser').waitFor();
    expect(await page.getByText(/AppleWebKit/).count()).toBe(0);
    await ada.expectAccessible();
    await ada.shot('settings');
  });

  test('a schedule says in words whether it is paused', async () => {
    await using ada = await viewer(world);
    await ada.open('/schedules');
    await ada.page.getByText('Active', { exact: true }).waitFor();
    await ada.page.getByRole('switch', { name: 'Schedule of nightly' }).click();
    await ada.page.getByText('Paused', { exact: true }).waitFor();
    await ada.page.getByRole('switch', { name: 'Schedule of nightly' }).click();
    await ada.page.getByText('Active', { exact: true }).waitFor();
  });

  test('the palette finds pipelines, runs, people and secrets', async () => {
    expect((await manage(world, 'PUT', '/secrets/DEPLOY_TOKEN', { value: 'correct horse' })).status).toBe(
      204,
    );
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open();
    await page.keyboard.press('Control+k');
    const typed = page.getByRole('combobox', { name: 'Search or run' });
    for (const [words, found] of [
      ['rlease', /^release/],
      ['run of release', /run of release/],
      ['lin@', /^lin@example\.com/],
      ['deploy tok', /^DEPLOY_TOKEN/],
    ] as const) {
      await typed.fill(words);
      await page.getByRole('option', { name: found }).first().waitFor();
    }
    await typed.fill('release');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/pipelines/release');
  });

  test('a key is limited to a pipeline', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('releases');
    await dialog.getByText('Only some endpoints and pipelines').click();
    await dialog.getByText('release', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('only release', { exact: true }).waitFor();
  });

  test('the execution of a step leads to the run that started it', async () => {
    const { items } = (await (await world.manage('/executions')).json()) as {
      items: { execution_id: string; run_id?: string }[];
    };
    const step = items.find(({ run_id }) => run_id !== undefined) ?? expect.unreachable();
    await using ada = await viewer(world);
    await ada.open(`/executions/${step.execution_id}`);
    await ada.page.getByRole('link', { name: /^Pipeline run, step / }).click();
    await ada.page.waitForURL(`**/dashboard/pipeline-runs/${step.run_id}`);
    await ada.page.getByRole('link', { name: 'release' }).first().waitFor();
  });

  test('a wide screen is used', async () => {
    await using ada = await viewer(world, { viewport: { width: 1920, height: 1080 } });
    await ada.open('/endpoints');
    const box = await ada.page.getByRole('list', { name: 'endpoints' }).boundingBox();
    expect(box?.width).toBeGreaterThan(1_300);
  });
});

function manage(world: HubWorld, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return world.manage(path, { method, headers, body: JSON.stringify(body) });
}

/** The id of a run that has ended. */
async function runPipeline(world: HubWorld, agent: ScriptedAgent): Promise<string> {
  const pipeline = {
    slug: 'release',
    tags: ['weekly'],
    nodes: [
      { id: 'make', endpoint: 'build' },
      { id: 'again', endpoint: 'build', needs: ['make'] },
    ],
  };
  expect((await manage(world, 'POST', '/pipelines', pipeline)).status).toBe(201);
  const started = await manage(world, 'POST', '/pipeline-runs', { pipeline: 'release' });
  const { run_id: id } = (await started.json()) as { run_id: string };
  await agent.answer('made\n');
  await agent.answer('again\n');
  const state = async () =>
    ((await (await world.manage(`/pipeline-runs/${id}`)).json()) as { status: string }).status;
  await expectSoon(state, 'succeeded');
  return id;
}

/** Chooses from a list as a person does. */
async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** For `addInitScript`: a page with slow data is shown without it after a while. Here it waits, however slow the machine is. */
function waitForData(delaysMs: readonly number[]): void {
  const begin = globalThis.setTimeout;
  globalThis.setTimeout = ((action: () => void, ms: number, ...rest: unknown[]) =>
    delaysMs.includes(ms) ? 0 : begin(action, ms, ...rest)) as typeof setTimeout;
}

/** For `addInitScript`: adds up the layout shifts of the page. */
function recordShifts(): void {
  const state = globalThis as unknown as { svcShift: number };
  state.svcShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
      if (!entry.hadRecentInput) state.svcShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Runs in the page. */
async function shiftAfterNextFrame(): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return (globalThis as unknown as { svcShift: number }).svcShift;
}

/** Runs in the page: a browser without a screen hides no tab. */
function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}
