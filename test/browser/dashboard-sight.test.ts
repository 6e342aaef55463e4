// The first view of a page, in a real browser: on a phone, of an agent that is offline, and in the light theme.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  PHONE,
  viewer,
} from './dashboard.ts';

/** The bar at the bottom of a phone. */
const BAR_PX = 48;
const WIDE = { width: 1920, height: 1080 };
/** A window of 1280 by 1024 at 400 %. */
const ZOOMED = { width: 320, height: 256 };

const ENDPOINTS = [
  { name: 'build', description: 'Builds the program.', command: 'make' },
  {
    name: 'guarded',
    command: 'deploy --production --to {{region}} --confirm',
    args: [{ name: 'region' }],
    approval_required: true,
  },
];

closeBrowserAtEnd();

describeInBrowser('at first sight', () => {
  let world: HubWorld;
  beforeAll(async () => {
    world = await dashboardWorld();
    const agent = await world.agent({ endpoints: ENDPOINTS });
    for (const output of ['done\n', 'again\n']) {
      const call = world.call('build');
      await agent.answer(output, { kind: 'exited', exit_code: 0, duration_ms: 5 });
      await call;
    }
    expect((await world.call('guarded?region=one-two-three-four')).status).toBe(202);
    await agent[Symbol.asyncDispose]();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('a phone shows executions; charts and filters are one press away', async () => {
    await using ada = await viewer(world, { viewport: PHONE });
    const { page } = ada;
    await ada.open('/executions');
    const row = page.getByRole('list', { name: 'executions' }).getByRole('listitem').first();
    await row.waitFor();
    const box = await row.boundingBox();
    expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0)).toBeLessThan(PHONE.height - BAR_PX);
    await ada.expectAccessible();
    await ada.shot('executions-phone');
    await page.getByRole('button', { name: 'Charts and filters' }).click();
    await page.getByRole('group', { name: 'State' }).waitFor();
    await ada.expectNoSidewaysScroll();
    await ada.expectAccessible();
  });

  test.each(['/', '/approvals'])('a phone shows a pending call with its buttons: %s', async (path) => {
    await using ada = await viewer(world, { viewport: PHONE });
    await ada.open(path);
    const card = ada.page.getByRole('article', { name: 'guarded waits for approval' });
    const box = (await card.getByRole('button', { name: 'Approve…' }).boundingBox()) ?? expect.unreachable();
    expect(box.y + box.height).toBeLessThan(PHONE.height - BAR_PX);
    // A line could end at the hyphens of the value, and does not.
    const value = card.getByTitle('Value of region');
    expect(await value.evaluate((element) => element.getClientRects().length)).toBe(1);
  });

  test('a phone shows entries of the audit log; filters are one press away', async () => {
    await using ada = await viewer(world, { viewport: PHONE });
    const { page } = ada;
    await ada.open('/audit');
    const row = page.getByRole('list', { name: 'audit log entries' }).getByRole('listitem').first();
    const box = (await row.boundingBox()) ?? expect.unreachable();
    expect(box.y + box.height).toBeLessThan(PHONE.height - BAR_PX);
    await ada.expectAccessible();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Name begins with').fill('nobody');
    await page.getByText('No matching entries').waitFor();
    await page.getByRole('button', { name: 'Filters (filtered)' }).waitFor();
    await ada.expectNoSidewaysScroll();
  });

  test('a row of tabs fades where a phone cuts it, and shows the open tab', async () => {
    await using ada = await viewer(world, { viewport: PHONE });
    const { page } = ada;
    const row = page.getByRole('tablist');
    await ada.open('/endpoints/build');
    await row.and(page.locator('[data-cut=right]')).waitFor();
    const fades = () => row.evaluate((element) => getComputedStyle(element).maskImage.includes('gradient'));
    expect(await fades()).toBe(true);
    await ada.open('/endpoints/build?tab=settings');
    await row.and(page.locator('[data-cut=left]')).waitFor();
    const tab = (await page.getByRole('tab', { name: 'Settings' }).boundingBox()) ?? expect.unreachable();
    expect(tab.x + tab.width).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize({ width: 800, height: PHONE.height });
    await page.locator('[role=tablist]:not([data-cut])').waitFor();
    expect(await fades()).toBe(false);
  });

  test('the facts of an execution stand in columns, and a short output in a low box', async () => {
    await using ada = await viewer(world, { viewport: { width: 900, height: 800 } });
    const { page } = ada;
    await ada.open('/executions?status=succeeded');
    await page.getByRole('list', { name: 'executions' }).getByRole('link').first().click();
    await page.getByText('End of output; exit code 0.').waitFor();
    const lefts = await page
      .locator('dl')
      .first()
      .locator('dt')
      .evaluateAll((names) => names.map((name) => Math.round(name.getBoundingClientRect().x)));
    expect(lefts.length).toBeGreaterThan(6);
    expect(new Set(lefts).size).toBeLessThanOrEqual(5);
    const box = await page.getByRole('region', { name: 'Execution log' }).boundingBox();
    expect(box?.height ?? 0).toBeLessThan(240);
    await ada.expectAccessible();
  });

  test('a phone shows all tools of the output', async () => {
    await using ada = await viewer(world, { viewport: PHONE });
    const { page } = ada;
    await ada.open('/executions?status=succeeded');
    await page.getByRole('list', { name: 'executions' }).getByRole('link').first().click();
    const log = page.getByRole('region', { name: 'Execution log' });
    await log.getByText('End of output; exit code 0.').waitFor();
    // Two rows of tools above the output; the rare ones are one press away.
    const first = (await log.getByRole('searchbox').boundingBox()) ?? expect.unreachable();
    const more = log.getByRole('button', { name: 'More tools' });
    const last = (await more.boundingBox()) ?? expect.unreachable();
    expect(last.y + last.height - first.y).toBeLessThan(2 * first.height + 12);
    expect(await log.getByRole('button', { name: 'Download' }).isVisible()).toBe(false);
    await more.click();
    for (const name of ['First error', 'Time stamps', 'Copy as Markdown', 'Download']) {
      const tool = (await log.getByRole('button', { name }).boundingBox()) ?? expect.unreachable();
      expect(tool.x + tool.width).toBeLessThanOrEqual(PHONE.width);
    }
    await ada.expectAccessible();
    await ada.shot('output-tools-phone');
  });

  test('a large screen has the last results below a short table of endpoints', async () => {
    await using ada = await viewer(world, { viewport: WIDE });
    await ada.open('/endpoints');
    await ada.page.getByRole('list', { name: 'Recently succeeded' }).getByRole('link').first().waitFor();
    await ada.expectAccessible();
    await using lin = await viewer(world);
    await lin.open('/endpoints');
    await lin.page.getByRole('img', { name: 'Last 2 runs, 0 failed' }).waitFor();
    expect(await lin.page.getByRole('list', { name: 'Recently succeeded' }).count()).toBe(0);
  });

  test('a strip of few runs shows the slots of those that are missing', async () => {
    await using ada = await viewer(world);
    await ada.open('/endpoints');
    const strip = ada.page.getByRole('img', { name: 'Last 2 runs, 0 failed' });
    const box = (await strip.boundingBox()) ?? expect.unreachable();
    // 30 slots of 4 px, 1 px apart; the bars stand in the last ones.
    expect(box.width).toBe(149);
    expect(box.x).toBe((await ada.page.getByText('Last 30 runs', { exact: true }).boundingBox())?.x ?? 0);
    expect(await strip.evaluate((element) => getComputedStyle(element).backgroundImage)).toContain(
      'gradient',
    );
    const bar = (await strip.locator('span').first().boundingBox()) ?? expect.unreachable();
    expect(bar.x - box.x).toBe(28 * 5);
    await ada.shot('endpoints');
  });

  test('a wide screen has the facts and the last executions beside the output', async () => {
    await using ada = await viewer(world, { viewport: WIDE });
    const { page } = ada;
    await ada.open('/executions?status=succeeded');
    await page.getByRole('list', { name: 'executions' }).getByRole('link').first().click();
    const log = page.getByRole('region', { name: 'Execution log' });
    await log.getByText('End of output; exit code 0.').waitFor();
    const others = page.getByRole('region', { name: 'Last executions of build' });
    await others.locator('[aria-current=page]').waitFor();
    expect(await others.getByRole('listitem').count()).toBe(2);
    const output = (await log.boundingBox()) ?? expect.unreachable();
    for (const beside of [page.locator('dl').first(), others])
      expect((await beside.boundingBox())?.x).toBeGreaterThan(output.x + output.width);
    await ada.expectAccessible();
    await ada.shot('execution-wide');
    await others.getByRole('link').nth(1).click();
    await log.getByText('done').waitFor();
  });

  test('a wide screen has the command of each endpoint', async () => {
    await using ada = await viewer(world, { viewport: WIDE });
    await ada.open('/endpoints');
    const row = ada.page.getByRole('list', { name: 'endpoints' }).getByRole('listitem').first();
    await row.getByText('Builds the program.').waitFor();
    await row.getByText('make', { exact: true }).waitFor();
    await ada.expectAccessible();
    await ada.shot('endpoints-wide');
  });

  test('the settings stand in two columns: the account, and the workspace beside it', async () => {
    await using ada = await viewer(world);
    await ada.open('/settings');
    const [account, workspaces] = await Promise.all(
      ['Account', 'Workspaces'].map((name) =>
        ada.page.getByRole('heading', { name, exact: true }).boundingBox(),
      ),
    );
    expect(workspaces?.y).toBe(account?.y);
    expect(workspaces?.x).toBeGreaterThan((account?.x ?? 0) + 300);
    await ada.expectNoSidewaysScroll();
    await ada.shot('settings');
  });

  test('the sections of the settings are listed beside them', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/settings');
    const list = page.getByRole('navigation', { name: 'Sections' });
    const last = page.getByRole('heading', { name: 'Delete workspace', exact: true });
    const isInSight = () => last.evaluate((heading) => heading.getBoundingClientRect().bottom < innerHeight);
    expect(await isInSight()).toBe(false);
    await list.getByRole('link', { name: 'Delete workspace' }).click();
    await expectSoon(isInSight, true);
    await list.getByRole('link', { name: 'Account', exact: true }).waitFor();
    await ada.expectAccessible();
  });

  test('the buttons of a long form stand above the bar of a phone', async () => {
    await using ada = await viewer(world, { viewport: PHONE });
    await ada.open('/endpoints/new');
    const create = ada.page.getByRole('button', { name: 'Create endpoint' });
    const box = (await create.boundingBox()) ?? expect.unreachable();
    expect(box.y + box.height).toBeLessThan(PHONE.height - BAR_PX);
    const seen = await create.evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    expect(seen).toBe(true);
    await ada.expectNoSidewaysScroll();
    await ada.shot('endpoint-new-phone');
  });

  test('at 400 % only the bar at the bottom keeps its place', async () => {
    await using ada = await viewer(world, { viewport: ZOOMED });
    await ada.open('/settings');
    const header = ada.page.getByRole('banner');
    const before = (await header.boundingBox()) ?? expect.unreachable();
    await ada.page.evaluate(() => scrollTo(0, 300));
    const after = (await header.boundingBox()) ?? expect.unreachable();
    expect(before.y - after.y).toBe(300);
  });

  test('an agent that is offline is named so, with when and where it was last seen, before anything is run', async () => {
    await using ada = await viewer(world);
    await ada.open('/endpoints/build');
    await ada.page
      .getByText(/^Agent default is offline \(last seen .+ on \S+\)\. Runs are refused until it connects\./)
      .waitFor();
    await ada.expectAccessible();
    await ada.shot('endpoint-offline');
    await ada.open('/');
    const agents = ada.page.getByRole('listitem').filter({ hasText: 'default' });
    await agents.getByText('Offline', { exact: true }).and(ada.page.locator('.self-baseline')).waitFor();
  });

  test('panels and the rail stand out from the page in the light theme', async () => {
    await using ada = await viewer(world, { theme: 'light' });
    await ada.open('/executions');
    const light = await ada.page.evaluate(luminances, ['--paper', '--raised', '--sunken']);
    const [paper = 0, raised = 0, sunken = 0] = light;
    expect((raised + 0.05) / (paper + 0.05)).toBeGreaterThan(1.08);
    expect((paper + 0.05) / (sunken + 0.05)).toBeGreaterThan(1.11);
    for (const path of ['/executions', '/endpoints/build', '/settings', '/']) {
      await ada.open(path);
      await ada.expectContrast();
    }
    await ada.shot('now-light');
  });
});

/** Runs in the page: the relative luminance of each colour, as WCAG has it. */
function luminances(names: readonly string[]): number[] {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas');
  return names.map((name) => {
    const probe = document.createElement('div');
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    context.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
      value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
}
