// A long output in a real browser: its end comes first, and the lines before when they are looked at (decision 90).

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('a long output', () => {
  let world: HubWorld;
  let agent: RealAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await realAgent(world, [
      { name: 'count', command: 'seq -f "line %.0f" 20000' },
      { name: 'wide', command: `seq -f "line %.0f ${'x'.repeat(300)}" 6000` },
    ]);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  async function ended(endpoint: string): Promise<string> {
    const answer = await world.manage('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint, args: {} }),
    });
    const { execution_id: id } = (await answer.json()) as { execution_id: string };
    expect(await (await world.manage(`/executions/${id}/stream`)).text()).toContain('"exit_code"');
    return id;
  }

  test('begins with its last lines, and those that come later move none in sight', async () => {
    const id = await ended('wide');
    for (const wraps of [false, true]) {
      await using ada = await viewer(world, { time: 'goes on' });
      const { page } = ada;
      const asked: URL[] = [];
      const gate = Promise.withResolvers<void>();
      await page.route(/\/stream\?/, async (route) => {
        const url = new URL(route.request().url());
        asked.push(url);
        if (url.searchParams.has('before')) await gate.promise;
        await route.continue();
      });
      await ada.open(`/executions/${id}`);
      await page.getByText('End of output').waitFor();
      await expectSoon(
        async () => (await page.locator('.output-line .output-text').last().innerText()).slice(0, 9),
        'line 6000',
      );
      await page.locator('[data-line="6000"] [data-number="6000"]').waitFor();
      if (wraps) await page.getByRole('button', { name: 'Wrap', exact: true }).click();
      expect(asked.map(({ search }) => search)).toEqual(['?last=2000']);
      // The first lines in sight are not loaded; each of them has one row.
      await page.getByRole('region', { name: 'Output' }).hover();
      await page.mouse.wheel(0, -100);
      await page.evaluate(() => {
        const view = document.querySelector('.output');
        if (view) view.scrollTop = 3_995 * 20;
      });
      await page.locator('[data-line="3998"][data-missing]').waitFor();
      await page.getByText('Loading earlier lines…').waitFor();
      const before = await page.evaluate(placesInSight);
      expect(Object.keys(before)[0]).toBe('4001');
      expect(Object.keys(before).length).toBeGreaterThan(3);
      gate.resolve();
      await page.locator('[data-line="3998"]:not([data-missing])').waitFor();
      await page.getByText('Loading earlier lines…').waitFor({ state: 'detached' });
      expect(await page.evaluate(placesInSight)).toMatchObject(before);
      await page.getByRole('region', { name: 'Output' }).focus();
      await page.keyboard.press('Home');
      await page.getByText(/^line 1 x/).waitFor();
      await page.locator('[data-line="1"] [data-number="1"]').waitFor();
      expect(asked.slice(1).every(({ searchParams }) => searchParams.has('before'))).toBe(true);
      if (!wraps) await ada.expectAccessible();
      await ada.shot(wraps ? 'execution-earlier-wrapped' : 'execution-earlier');
    }
  });

  test('loads all lines before they are searched, and says so', async () => {
    const id = await ended('count');
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    const gate = Promise.withResolvers<void>();
    let isRefused = true;
    await page.route(/\/stream\?before=/, async (route) => {
      await gate.promise;
      if (isRefused) await route.abort();
      else await route.continue();
    });
    await ada.open(`/executions/${id}`);
    await page.getByText('End of output').waitFor();
    await page.getByRole('searchbox', { name: /Search the output/ }).fill('999');
    await page.getByText('Loading all lines…').waitFor();
    gate.resolve();
    await page.getByText('Not all lines are loaded').waitFor();
    await page.getByText('Earlier lines could not be loaded.').waitFor();
    await ada.expectAccessible();
    await ada.shot('execution-not-loaded');
    isRefused = false;
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByText(/^\d+ of 38$/).waitFor();
    for (const complaint of ada.takeComplaints()) expect(complaint).toContain('Failed to load resource');
  });
});

/** Where each loaded line in sight is, from the top of the window. */
function placesInSight(): Record<string, number> {
  const view = document.querySelector('.output')?.getBoundingClientRect();
  const places: Record<string, number> = {};
  for (const line of document.querySelectorAll<HTMLElement>('.output-line:not([data-missing])')) {
    const { top, bottom } = line.getBoundingClientRect();
    if (view !== undefined && top < view.bottom && bottom > view.top) places[line.dataset.line ?? ''] = top;
  }
  return places;
}
