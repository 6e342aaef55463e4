// The page Now: failures that many others would hide, and data that comes late, in whatever order.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MAX_FAILED } from '../../web/first-reads.ts';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

/** More than the page reads of the newest failures. */
const NOISE = 60;

closeBrowserAtEnd();

describeInBrowser('Now', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    const names = ['health', 'backup', ...Array.from({ length: 7 }, (_, n) => `job-${n}`)];
    agent = await world.agent({ endpoints: names.map((name) => ({ name, command: 'true' })) });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  async function fail(endpoint: string): Promise<void> {
    const response = await world.manage('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint, args: {} }),
    });
    expect(response.status).toBe(202);
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'error\n');
    agent.end(id, 1, { kind: 'exited', exit_code: 2, duration_ms: 5 });
  }

  test('keeps what it shows while the failures of the day are counted anew', async () => {
    for (let n = 0; n < MAX_FAILED - 1; n += 1) await fail('backup');
    await agent.untilTaken();
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open();
    const agents = page.getByRole('heading', { name: 'Agents' });
    await agents.waitFor();
    const counting = Promise.withResolvers<void>();
    const counted = Promise.withResolvers<void>();
    await page.route('**/executions/stats*', async (route) => {
      counting.resolve();
      await counted.promise;
      await route.continue();
    });
    for (let n = 0; n < 2; n += 1) await fail('backup');
    await page.getByText(`backup × ${MAX_FAILED}`).waitFor();
    await counting.promise;
    expect(await agents.isVisible()).toBe(true);
    counted.resolve();
    await page.getByText(`backup × ${MAX_FAILED + 1}`).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('one endpoint that fails all the time hides no other failure, and its count is true', async () => {
    for (let n = 0; n < NOISE; n += 1) await fail('health');
    await agent.untilTaken();
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await ada.open();
    const rows = page.getByRole('list', { name: 'Failed executions' }).getByRole('listitem');
    await rows.filter({ hasText: `health × ${NOISE}` }).waitFor();
    await rows.filter({ hasText: 'backup' }).waitFor();
    expect(await rows.count()).toBe(2);
    for (let n = 0; n < 7; n += 1) await fail(`job-${n}`);
    await rows.filter({ hasText: 'job-6' }).waitFor();
    await expectSoon(() => rows.count(), 6);
    await page.getByText('3 more endpoints').waitFor();
    await ada.expectAccessible();
    await ada.shot('now-failures');
    await page.getByRole('link', { name: 'All failures' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('status')?.startsWith('failed,') ?? false);
    await page.getByRole('list', { name: 'executions' }).getByText('health').first().waitFor();
  });
});
