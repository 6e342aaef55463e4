// The twelve core tasks of docs/internals/dashboard.md with the keyboard alone, and the tree that a screen reader gets in each.
import { afterAll, beforeAll, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { Approvals } from '../approvals.ts';
import type { HubWorld } from '../hub-world.ts';
import { linkTo } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, viewer } from './dashboard.ts';
import { expectTree, focusOn } from './keyboard.ts';

const EMAIL = 'ada@example.com';

closeBrowserAtEnd();

describeInBrowser('the keyboard alone', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'build', command: 'make {{target}}', args: [{ name: 'target', required: true }] },
        { name: 'slow', command: 'sleep 60' },
        { name: 'guarded', command: 'echo {{word}}', args: [{ name: 'word' }], approval_required: true },
        { name: 'nightly', command: 'true', schedule: '0 3 * * *' },
      ],
      pipelines: [{ slug: 'release', nodes: [{ id: 'one', endpoint: 'slow' }] }],
    });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  /** Answers the next run in the background. */
  const answer = (text: string, exitCode = 0) =>
    agent.answer(text, { kind: 'exited', exit_code: exitCode, duration_ms: 5 });
  const keys = ({ keyboard }: Page, ...pressed: readonly string[]) =>
    pressed.reduce((before, key) => before.then(() => keyboard.press(key)), Promise.resolve());

  test('1: signs in', async () => {
    await using ada = await viewer(world, { email: undefined });
    const { page } = ada;
    await page.goto(world.hub.hubUrl);
    await expectTree(page.locator('main'), '01-sign-in');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(EMAIL);
    await keys(page, 'Enter');
    await page.getByRole('heading', { name: 'No mail server' }).waitFor();
    await page.goto(await linkTo(world, EMAIL));
    await page.locator('button:focus').waitFor();
    await keys(page, 'Enter');
    await page.getByRole('heading', { name: 'Choose a username' }).waitFor();
  });

  test('2: runs an endpoint from its page', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints');
    await focusOn(page, /^build$/, 'a');
    await keys(page, 'Enter');
    await page.getByRole('heading', { name: 'build', exact: true }).waitFor();
    await focusOn(page, /^target/);
    await page.keyboard.type('all');
    await expectTree(page.getByRole('form', { name: 'Run build' }), '02-run-form');
    const answered = answer('made all\n');
    await keys(page, 'Enter');
    await answered;
    await page.getByText('made all').waitFor();
  });

  test('3: runs an endpoint from anywhere', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/usage');
    await keys(page, 'Control+k');
    await page.getByRole('combobox', { name: 'Search or run' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('build');
    await page.getByRole('option', { name: 'build, succeeded' }).waitFor();
    await expectTree(page.getByRole('dialog'), '03-palette');
    await keys(page, 'Enter');
    await page
      .getByLabel(/^target/)
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('docs');
    const answered = answer('made docs\n', 2);
    await keys(page, 'Enter');
    await answered;
    await page.getByText('made docs').waitFor();
  });

  test('4 and 5: opens what failed and searches its output', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open();
    const failures = page.getByRole('list', { name: 'Failed executions' });
    await failures.getByRole('link').first().waitFor();
    await expectTree(failures, '04-failures');
    await keys(page, 'j', 'Enter');
    await page.getByText('made docs').waitFor();
    await keys(page, '/');
    await page.locator('main input[type=search]:focus').waitFor();
    await page.keyboard.type('docs');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await expectTree(page.getByRole('region', { name: 'Execution log' }), '05-search');
  });

  test('6: cancels what runs', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    const call = world.call('slow');
    const { execution_id: id } = await agent.receive('run');
    await ada.open();
    await focusOn(page, /slow/, 'a');
    await keys(page, 'Enter');
    await focusOn(page, /^Cancel run$/);
    await expectTree(page.locator('main header'), '06-cancel');
    await keys(page, 'Enter');
    await agent.receive('cancel');
    agent.end(id, 0, { kind: 'cancelled', duration_ms: 5 });
    await call;
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
  });

  test.each([
    ['7: approves', 'a', 'Approve and run', '07-approve'],
    ['8: denies', 'd', 'Deny', '08-deny'],
  ] as const)('%s a call', async (_, key, action, tree) => {
    await using ada = await viewer(world);
    const { page } = ada;
    const headers = { 'content-type': 'application/json' };
    await new Approvals(world).callForApproval('guarded', {
      method: 'POST',
      headers,
      body: '{"word":"hello"}',
    });
    await ada.open('/approvals');
    await page.getByRole('article', { name: 'guarded waits for approval' }).waitFor();
    await keys(page, key);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expectTree(dialog, tree);
    await focusOn(page, new RegExp(`^${action}$`));
    const answered = key === 'a' ? answer('hello\n') : undefined;
    await keys(page, 'Enter');
    await answered;
    await page.getByText('No pending approvals').waitFor();
  });

  test('9: creates an endpoint', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/endpoints');
    await focusOn(page, /^Create endpoint$/);
    await keys(page, 'Enter');
    await page.getByRole('heading', { name: 'Create endpoint', exact: true }).waitFor();
    await focusOn(page, /^Name$/);
    await page.keyboard.type('greet');
    await focusOn(page, /^Command$/);
    await page.keyboard.type('echo {{word}}');
    await focusOn(page, /^Add argument word/);
    await expectTree(page.locator('main form section').first(), '09-command');
    await keys(page, 'Enter');
    await focusOn(page, /^Create endpoint$/);
    await keys(page, 'Enter');
    await page.getByRole('button', { name: 'Run greet' }).waitFor();
  });

  test('10: pauses a schedule', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/schedules');
    const list = page.getByRole('list', { name: 'schedules' });
    await expectTree(list, '10-schedules');
    await focusOn(page, /^Schedule of nightly$/);
    await keys(page, 'Space');
    await list.getByText('Paused', { exact: true }).waitFor();
    await keys(page, 'Space');
    await list.getByText('Active', { exact: true }).waitFor();
  });

  test('11: creates an API key', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/api-keys');
    await focusOn(page, /^Create API key$/);
    await keys(page, 'Enter');
    await page.getByRole('dialog').waitFor();
    await expectTree(page.getByRole('dialog'), '11-new-key');
    await focusOn(page, /^Name$/);
    await page.keyboard.type('ci');
    await keys(page, 'Enter');
    await page
      .getByRole('dialog')
      .getByText(/^svc_sk_/)
      .waitFor();
    await focusOn(page, /^I have copied it$/);
    await keys(page, 'Enter');
    await page.getByRole('list', { name: /keys/i }).getByText('ci', { exact: true }).waitFor();
  });

  test('12: starts a pipeline and follows it', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/pipelines/release');
    await focusOn(page, /^Run release$/);
    await expectTree(page.locator('[data-page-actions]'), '12-pipeline-actions');
    const answered = answer('released\n');
    await keys(page, 'Enter');
    await answered;
    await page.waitForURL('**/pipeline-runs/*');
    await page.getByText('Succeeded').first().waitFor();
    await expectTree(page.getByRole('region', { name: 'Steps' }), '12-run');
  });
});
