// Dialogs that more than one press opens: each in both themes, with nothing that axe finds.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, THEMES, viewer } from './dashboard.ts';

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();

const select = (endpoint: string) => (page: Page) =>
  page
    .getByRole('checkbox', { name: `Select ${endpoint}` })
    .first()
    .click();

/** A dialog: its title, its page, and the steps that open it. */
const DIALOGS: readonly (readonly [
  title: string,
  path: string,
  ...steps: ((page: Page) => Promise<void>)[],
])[] = [
  ['Save view', '/executions?status=succeeded', press('Save view')],
  ['Run 1 execution again?', '/executions?status=succeeded', select('build'), press('Run 1 again…')],
  ['Cancel 1 execution?', '/executions?status=running', select('build'), press('Cancel 1…')],
  ['Decide on 1 call', '/executions?status=pending_approval', select('guarded'), press('Review 1…')],
  ['Delete secret DEPLOY_TOKEN?', '/secrets', press('Delete secret DEPLOY_TOKEN')],
  ['Replace DEPLOY_TOKEN', '/secrets', press('Replace secret DEPLOY_TOKEN')],
  ['Run release', '/pipelines/release', press('Run release')],
  ['Keyboard shortcuts', '/agents', (page) => page.keyboard.press('?')],
  [
    'Leave without saving?',
    '/endpoints/new',
    (page) => page.getByLabel('Name', { exact: true }).first().fill('draft'),
    (page) => page.getByRole('link', { name: 'Team' }).click(),
  ],
];

closeBrowserAtEnd();

describeInBrowser('the dialogs', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'build', command: 'make' },
        { name: 'guarded', command: 'deploy', approval_required: true },
      ],
    });
    const done = world.call('build');
    await agent.answer('done\n');
    await done;
    expect((await world.call('guarded')).status).toBe(202);
    expect((await manage('PUT', '/secrets/DEPLOY_TOKEN', { value: 'correct horse' })).status).toBe(204);
    const pipeline = {
      slug: 'release',
      trigger: { type: 'webhook', input_schema: [{ name: 'branch', type: 'string', required: true }] },
      nodes: [{ id: 'make', endpoint: 'build' }],
    };
    expect((await manage('POST', '/pipelines', pipeline)).status).toBe(201);
    expect((await manage('POST', '/executions', { endpoint: 'build', args: {} })).status).toBe(202);
    await agent.receive('run');
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  function manage(method: string, path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return world.manage(path, { method, headers, body: JSON.stringify(body) });
  }

  test.each(THEMES)(
    'have nothing that axe finds, in the %s theme',
    async (theme) => {
      await using ada = await viewer(world, { theme });
      const { page } = ada;
      for (const [title, path, ...steps] of DIALOGS) {
        await ada.open(path);
        for (const step of steps) await step(page);
        const dialog = page.getByRole('dialog', { name: title, exact: true });
        await dialog.waitFor();
        await ada.expectAccessible();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    },
    180_000,
  );
});
