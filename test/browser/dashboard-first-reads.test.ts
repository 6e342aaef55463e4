// The first requests of the dashboard, which begin before its scripts are there (decision 113, data before the scripts).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

const ENDPOINTS = [
  { name: 'hello', command: 'echo {{name}}', args: [{ name: 'name', type: 'text' }] },
  { name: 'build', command: 'make' },
];

closeBrowserAtEnd();

describeInBrowser('the first requests of the dashboard', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({ endpoints: ENDPOINTS });
    const failed = world.call('hello', {
      method: 'POST',
      body: '{"name":"a value of the call"}',
      headers: { 'content-type': 'application/json' },
    });
    await agent.answer('error\n', { kind: 'exited', exit_code: 2, duration_ms: 5 });
    await failed;
  });
  const manage = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await world.manage(path, { method, headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return (await response.json()) as { readonly version: number };
  };
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test.each([
    ['', ['/events', '/workspace', '/usage', '/agents?limit=30', '/executions/stats'], ''],
    ['/executions', ['/events', '/workspace', '/executions?limit=100'], ''],
    ['/executions', ['/events', '/workspace', '/executions?with=args&limit=100'], 'args,duration'],
    ['/endpoints/hello', ['/events', '/workspace', '/endpoints/hello'], ''],
  ])('those of "%s" are sent before the scripts run, and each once', async (path, expected, columns) => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    if (columns !== '')
      await page.addInitScript((shown) => localStorage.setItem('svc.executions.columns', shown), columns);
    await waitForStream(page);
    const scripts = await heldScripts(page);
    const reads = readsOf(page);
    const opened = owner.open(path);
    await expectSoon(async () => expected.every((one) => reads.includes(one)), true);
    // The live stream is opened first, so that no change is missed.
    expect(reads[0]).toBe('/events');
    const begun = [...reads];
    scripts.release();
    await opened;
    if (columns !== '') await page.getByText('a value of the call').waitFor();
    await isQuiet(page);
    expect(begun.filter((one) => reads.indexOf(one) !== reads.lastIndexOf(one))).toEqual([]);
    // The list is read by the page, too: with and without the arguments is twice.
    expect(
      reads.filter((one) => /^\/executions\?(with=args&)?limit=100$/.test(one)).length,
    ).toBeLessThanOrEqual(1);
  });

  test('a change after them is on the page, though its scripts did not run yet', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const made = await manage('POST', '/endpoints', { name: 'cleanup', command: 'echo before' });
    const scripts = await heldScripts(page);
    const answered = answersOf(page);
    const opened = owner.open('/endpoints/cleanup');
    await expectSoon(async () => answered.includes('/endpoints/cleanup'), true);
    await manage('PATCH', '/endpoints/cleanup', { command: 'echo after', version: made.version });
    scripts.release();
    await opened;
    await page.getByText('echo after').first().waitFor();
  });

  test('a change after them, but before the live stream was open, is on the page', async () => {
    await using owner = await viewer(world, { time: 'goes on' });
    const { page } = owner;
    const scripts = await heldScripts(page);
    const stream = Promise.withResolvers<void>();
    await page.route('**/events', async (route) => {
      await stream.promise;
      await route.continue();
    });
    const answered = answersOf(page);
    const opened = owner.open('/executions');
    await expectSoon(async () => answered.includes('/executions?limit=100'), true);
    const running = world.call('build');
    const { execution_id: id } = await agent.receive('run');
    stream.resolve();
    await expectSoon(async () => answered.includes('/events'), true);
    scripts.release();
    await opened;
    await page.getByRole('list', { name: 'executions' }).getByText('Running').waitFor();
    agent.end(id, 0);
    await running;
  });
});

/** Keeps the scripts of the frame back until they are released. */
async function heldScripts(page: Page): Promise<{ release(): void }> {
  const scripts = Promise.withResolvers<void>();
  await page.route('**/assets/frame-*.js', async (route) => {
    await scripts.promise;
    await route.continue();
  });
  return { release: () => scripts.resolve() };
}

/** Lets the reads wait for the live stream, however slow this machine is: after half a second they would begin without it, and be repeated. */
async function waitForStream(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { setTimeout: real } = window;
    const patient = (run: TimerHandler, ms?: number, ...given: unknown[]) =>
      ms === 500 ? 0 : real(run, ms, ...given);
    Object.assign(window, { setTimeout: patient });
  });
}

/** The addresses of all requests for data so far. */
function readsOf(page: Page): readonly string[] {
  const reads: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.resourceType() === 'fetch') reads.push(pathname + search);
  });
  return reads;
}

/** The addresses whose response has begun. */
function answersOf(page: Page): readonly string[] {
  const answered: string[] = [];
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    answered.push(pathname + search);
  });
  return answered;
}

/** The page marks when it has had no more requests for some seconds; it then loads the other pages. */
async function isQuiet(page: Page): Promise<void> {
  await page.waitForFunction(() => performance.getEntriesByName('svc:prefetch').length > 0);
}
