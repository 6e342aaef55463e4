// Several windows of one browser, what they show of many executions, and what is said when a request fails.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page, Request } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

/** The list of what runs reads so many. */
const LISTED = 20;
const OTHERS = Array.from({ length: 100 }, (_, n) => ({
  name: `deploy${String(n).padStart(2, '0')}zone`,
  command: 'true',
}));

closeBrowserAtEnd();

describeInBrowser('the windows of a browser', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'build', command: 'make' },
        { name: 'old', command: 'sleep 9' },
        { name: 'guarded', command: 'deploy', approval_required: true },
        ...OTHERS,
        { name: 'deployzone', command: 'true' },
      ],
    });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  /** Starts an execution, and returns its id when its command runs. */
  async function start(endpoint: string): Promise<string> {
    const response = await world.manage('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint, args: {} }),
    });
    expect(response.status).toBe(202);
    return (await agent.receive('run')).execution_id;
  }

  test('two of them show the last lines of three executions, and a call is approved in one of them', async () => {
    const ids = [await start('build'), await start('build'), await start('build')];
    for (const [n, id] of ids.entries()) agent.output(id, 1, `begun ${n}\n`);
    expect((await world.call('guarded')).status).toBe(202);
    await using ada = await viewer(world, { time: 'goes on' });
    const other = await ada.context.newPage();
    const pages = [ada.page, other];
    await ada.open();
    await other.goto(ada.page.url());
    const line = (page: Page, text: string) =>
      page.getByRole('list', { name: 'Running executions' }).getByText(text, { exact: true });
    for (const page of pages) for (const n of ids.keys()) await line(page, `begun ${n}`).waitFor();
    for (const [n, id] of ids.entries()) agent.output(id, 2, `\x1b[32mgoes on ${n}\x1b[0m\n\n`);
    for (const page of pages) for (const n of ids.keys()) await line(page, `goes on ${n}`).waitFor();
    await other.getByRole('button', { name: 'Approve…' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Approve and run' }).click();
    const { execution_id: approved } = await agent.receive('run');
    agent.end(approved, 0);
    // A tab that is hidden reads none, and goes on when it is shown.
    await ada.page.evaluate(setHidden, true);
    const reads: string[] = [];
    ada.page.on('request', (request) => {
      if (request.url().includes('/stream')) reads.push(request.url());
    });
    for (const id of ids) agent.output(id, 3, 'unseen\n');
    const [first = ''] = ids;
    await expectSoon(() => line(other, 'unseen').count(), 3);
    const before = reads.length;
    agent.output(first, 4, 'much later\n');
    await line(other, 'much later').waitFor();
    expect(before).toBeLessThanOrEqual(1);
    expect(reads).toHaveLength(before);
    await ada.page.evaluate(setHidden, false);
    await line(ada.page, 'much later').waitFor();
    for (const id of ids) agent.end(id, id === first ? 4 : 3);
    await ada.page.getByText('Nothing is running.').waitFor();
  });

  test('one that is opened in the background gives up its live stream, and has it again when it is shown', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await page.addInitScript(openHidden);
    const isStream = (request: Request) => new URL(request.url()).pathname === '/events';
    const given = page.waitForEvent('requestfailed', isStream);
    await ada.open();
    await given;
    const again = page.waitForRequest(isStream);
    await page.evaluate(setHidden, false);
    await again;
    ada.takeComplaints();
  });

  test('more executions than a list reads are counted as more, and the table knows which endpoints run', async () => {
    const old = await start('old');
    const ids = [old];
    for (let n = 0; n < LISTED; n += 1) ids.push(await start('build'));
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open();
    await page.getByText(`${LISTED}+ running.`).waitFor();
    await page.waitForFunction((title) => document.title === title, `${LISTED}+ running · Now · svc`);
    await ada.expectAccessible();
    await page.getByRole('link', { name: 'All running executions' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('status') === 'running');
    const rows = page.getByRole('list', { name: 'executions' }).getByRole('listitem');
    await expectSoon(async () => (await rows.first().getAttribute('aria-setsize')) ?? '', `${LISTED + 1}`);
    await ada.open('/endpoints?q=old');
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'old', exact: true }) });
    await row.getByTitle('Running', { exact: true }).first().waitFor();
    for (const id of ids) agent.end(id, 0);
  });

  test('the summary of the executions follows their list', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open('/executions?endpoint=deploy07zone');
    await page.getByText('Last 24 hours: no executions.').waitFor();
    const id = await start('deploy07zone');
    await page.getByText('Last 24 hours: 1 execution, none failed, 1 running.').waitFor();
    agent.end(id, 0);
    await page.getByText('Last 24 hours: 1 execution, none failed.').waitFor();
  });

  test('Enter in the palette waits for the endpoint that is typed, where there are more than it lists', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open();
    const answer = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/endpoints?*search=deployzone', async (route) => {
      asked.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const found = page.waitForResponse((response) => response.url().endsWith('search=deploy'));
    await page.keyboard.type('deploy');
    await (await found).finished();
    await page.keyboard.type('zone');
    await page.getByRole('option', { name: /^deploy00zone/ }).waitFor();
    await asked.promise;
    await page.keyboard.press('Enter');
    answer.resolve();
    await page.getByRole('dialog', { name: 'Run deployzone', exact: true }).waitFor();
  });

  test('a cancel that is refused says so on the page of the endpoint', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open('/endpoints/build');
    await page.getByRole('button', { name: 'Run build', exact: true }).click();
    const { execution_id: id } = await agent.receive('run');
    await page.route('**/cancel', (route) =>
      route.fulfill({ status: 503, json: { error: 'the store is full', code: 'unavailable' } }),
    );
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The store is full').first().waitFor();
    agent.end(id, 0);
    expect(ada.takeComplaints()).toEqual([expect.stringContaining('503')]);
  });

  test('a download says that the hub is away, and leads to the sign-in when the session is over', async () => {
    const id = await start('build');
    agent.output(id, 1, 'made\n');
    agent.end(id, 1);
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByText('End of output').waitFor();
    await page.route('**/output', (route) => route.abort());
    const download = page.getByRole('button', { name: 'Download' });
    await download.click();
    await page.getByText('The hub cannot be reached').first().waitFor();
    await page.unroute('**/output');
    await ada.context.clearCookies();
    await download.click();
    await page.waitForURL(({ pathname }) => pathname === '/login');
    expect(new URL(page.url()).searchParams.get('to')).toBe(`/dashboard/executions/${id}`);
    for (const complaint of ada.takeComplaints()) expect(complaint).toContain('Failed to load resource');
  });

  test('the current match is in sight, far along a line and beyond its drawn part', async () => {
    const id = await start('build');
    agent.output(
      id,
      1,
      `first\n${'x'.repeat(900)}needle${'y'.repeat(900)}\n${'z'.repeat(6_000)}needle\nlast\n`,
    );
    agent.end(id, 1);
    for (const wraps of [false, true]) {
      await using ada = await viewer(world, { time: 'goes on' });
      const { page } = ada;
      await page.addInitScript((on) => localStorage.setItem('svc.output.wrap', on ? 'yes' : 'no'), wraps);
      await ada.open(`/executions/${id}`);
      await page.getByText('End of output').waitFor();
      await page.getByRole('button', { name: 'Wrap', pressed: wraps }).waitFor();
      await page.getByRole('searchbox', { name: /Search the output/ }).fill('needle');
      for (const [n, line] of [
        [1, 2],
        [2, 3],
        [1, 2],
      ]) {
        await page.getByText(`${n} of 2`, { exact: true }).waitFor();
        const mark = page.locator(`[data-line="${line}"] mark[data-current]`);
        await mark.waitFor();
        await expectSoon(() => mark.evaluate(isOnTop), true);
        await page.keyboard.press('Enter');
      }
    }
  });
});

/** Runs in the page: whether a person sees the element. */
function isOnTop(element: Element): boolean {
  const { left, right, top, height } = element.getBoundingClientRect();
  return [left + 1, right - 1].every((x) => {
    const there = document.elementFromPoint(x, top + height / 2);
    return there !== null && element.contains(there);
  });
}

/** For `addInitScript`: a tab in the background, where the minute until it gives up its stream is over at once. */
function openHidden(): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  const begin = globalThis.setTimeout;
  globalThis.setTimeout = ((action: () => void, ms: number, ...rest: unknown[]) =>
    begin(action, ms === 60_000 ? 0 : ms, ...rest)) as typeof setTimeout;
}

/** Runs in the page: a browser without a screen hides no tab. */
function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}
