// Work that the buttons of the browser must not lose: a key that is shown once, values in a form, and what a closed tab leaves behind.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('the buttons of the browser', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [{ name: 'greet', command: 'echo {{who}}', args: [{ name: 'who', type: 'text' }] }],
    });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test('keep the dialog of a new key until its own button is pressed', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/agents');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('ci');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the API key now' });
    const key = await dialog.locator('pre').innerText();
    const isKept = async () => {
      await dialog.getByText('This is shown only once.').waitFor();
      expect(await dialog.locator('pre').innerText()).toBe(key);
      expect(new URL(page.url()).pathname).toBe('/dashboard/api-keys');
    };
    await page.goBack();
    await isKept();
    await page.goBack();
    await isKept();
    await owner.expectAccessible();
    expect(await questionOn(page, () => location.reload())).toBe('beforeunload');
    await isKept();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
  });

  test('a reload keeps the values that were changed after Run again', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    const called = world.call('greet?who=Ada');
    const id = await agent.answer('Ada\n');
    await called;
    await owner.open(`/endpoints/greet?again=${id}`);
    const who = page.getByLabel(/^who/);
    await expectSoon(() => who.inputValue(), 'Ada');
    await who.fill('Grace');
    const read = page.waitForResponse((response) => response.url().includes(`/executions/${id}?`));
    await page.reload();
    await page.getByText('These values are from your last visit.').waitFor();
    await (await read).finished();
    // An answer fills the form in the frame after it.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    await expectSoon(() => who.inputValue(), 'Grace');
    // Another execution to run again is a new wish.
    const other = world.call('greet?who=Lin');
    const otherId = await agent.answer('Lin\n');
    await other;
    await owner.open(`/endpoints/greet?again=${otherId}`);
    await expectSoon(() => who.inputValue(), 'Lin');
    expect(await page.getByText('These values are from your last visit.').count()).toBe(0);
  });

  test('a tab that is closed during a test run leaves neither the run nor its endpoint', async () => {
    await using owner = await viewer(world);
    const { page, context } = owner;
    await page.addInitScript(recordKeepalive);
    await owner.open('/endpoints/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('tail-log');
    await page.getByLabel('Command', { exact: true }).fill('tail -f app.log');
    await page.getByRole('button', { name: 'Test run' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Run test-/ })
      .click();
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'the first line\n');
    await page.getByRole('dialog').getByText('the first line').waitFor();
    page.on('dialog', (question) => void question.accept());
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    expect((await agent.receive('cancel')).execution_id).toBe(id);
    // A hub nearby gets the requests also without the flag, so the test looks at it.
    const other = await context.newPage();
    await other.goto(`${world.hub.hubUrl}/login`);
    const flags = await other.evaluate(() => localStorage.getItem('keepalive'));
    expect(JSON.parse(flags ?? '')).toMatchObject({ cancel: true, remove: true });
    const tests = async () => {
      const { items } = (await (await world.manage('/endpoints')).json()) as { items: { slug: string }[] };
      return items.map(({ slug }) => slug).filter((slug) => slug.startsWith('test-'));
    };
    await expectSoon(tests, []);
    agent.end(id, 1);
  });
});

/** What the browser asks when the page is to be left; the answer is to stay. */
async function questionOn(page: Page, leave: () => void): Promise<string> {
  const asked = page.waitForEvent('dialog');
  const left = page.evaluate(leave);
  const question = await asked;
  await question.dismiss();
  await left;
  return question.type();
}

/** Runs in the page: stores whether the browser completes its requests to cancel and to delete without the page. */
function recordKeepalive(): void {
  const flags: Record<string, boolean> = {};
  const realFetch = globalThis.fetch;
  globalThis.fetch = ((address: string, init?: RequestInit) => {
    if (address.endsWith('/cancel')) flags.cancel = init?.keepalive === true;
    if (init?.method === 'DELETE') flags.remove = init.keepalive === true;
    localStorage.setItem('keepalive', JSON.stringify(flags));
    return realFetch(address, init);
  }) as typeof fetch;
}
