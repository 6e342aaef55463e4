// Forms of endpoints and pipelines that are open while another person, another tab or svc.yaml saves the same object.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

closeBrowserAtEnd();

/** The definition of a pipeline of one step. */
const stepNamed = (id: string) => ({
  nodes: [{ id, kind: 'step', endpoint: 'build' }],
  edges: [{ from: 'trigger', to: id }],
});

describeInBrowser('a save by someone else', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({ endpoints: [{ name: 'build', command: 'make' }] });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  async function write(method: string, path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await world.manage(path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  async function read<Body>(path: string): Promise<Body> {
    return (await (await world.manage(path)).json()) as Body;
  }

  const endpoint = (slug: string) =>
    write('POST', '/endpoints', {
      name: slug,
      command: 'make',
      description: 'first',
      agent_name: 'scripted',
    });

  const fields = (page: Page) => ({
    description: page.getByLabel('Description'),
    timeout: page.getByLabel('Timeout (seconds)'),
  });

  test('is followed by a form that was not touched, and leaves the changes of another one alone', async () => {
    await endpoint('nightly');
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints/nightly?tab=settings');
    const { description, timeout } = fields(page);
    await expectSoon(() => description.inputValue(), 'first');
    await write('PATCH', '/endpoints/nightly', { description: 'second' });
    await expectSoon(() => description.inputValue(), 'second');
    await description.fill('mine');
    await write('PATCH', '/endpoints/nightly', { timeout: 90 });
    await page.getByText('Version 3 was saved').waitFor();
    await page.getByText('The newer version changes none of the fields that you changed.').waitFor();
    expect([await description.inputValue(), await timeout.inputValue()]).not.toContain('90');
    await owner.expectAccessible();
    await owner.shot('newer-version');
    page.on('dialog', (question) => void question.accept());
    await page.reload();
    await page.getByText('Version 3 was saved').waitFor();
    expect(await description.inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Apply my changes to version 3' }).click();
    await expectSoon(() => timeout.inputValue(), '90');
    expect(await description.inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Save nightly' }).click();
    await page.getByText('nightly saved as version 4').waitFor();
    expect(await read('/endpoints/nightly')).toMatchObject({ version: 4, description: 'mine', timeout: 90 });
    expect(await page.getByText(/^Version \d was saved/).count()).toBe(0);
    await page.getByRole('button', { name: 'Save nightly', disabled: true }).waitFor();
  });

  test('of the same field is named, and its version can be shown instead', async () => {
    await endpoint('weekly');
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/endpoints/weekly?tab=settings');
    const { description } = fields(page);
    await description.fill('mine');
    await write('PATCH', '/endpoints/weekly', { description: 'theirs' });
    await page.getByText('Both versions change description: yours would replace the newer value.').waitFor();
    await page.getByRole('button', { name: 'Discard my changes and show version 2' }).click();
    await expectSoon(() => description.inputValue(), 'theirs');
    expect(await page.getByText('Version 2 was saved').count()).toBe(0);
  });

  test('that the page has not heard of is a conflict, and the choice comes with it', async () => {
    await endpoint('hourly');
    await using owner = await viewer(world);
    const { page } = owner;
    await page.route('**/events', (route) => route.abort());
    await owner.open('/endpoints/hourly?tab=settings');
    const { description } = fields(page);
    await description.fill('mine');
    await write('PATCH', '/endpoints/hourly', { timeout: 90 });
    await page.getByRole('button', { name: 'Save hourly' }).click();
    await page.getByText('Version 2 was saved').waitFor();
    expect(await description.inputValue()).toBe('mine');
    expect(await read('/endpoints/hourly')).toMatchObject({ version: 2, description: 'first' });
    for (const complaint of owner.takeComplaints()) expect(complaint).toMatch(/ERR_FAILED|409|412/);
  });

  test('leaves a drawn pipeline and its history alone until the person chooses', async () => {
    await write('POST', '/pipelines', { slug: 'release', ...stepNamed('first') });
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/pipelines/release');
    const canvas = page.locator('[data-canvas]');
    await canvas.getByText('first', { exact: true }).waitFor();
    // Without changes the drawing follows.
    await write('PATCH', '/pipelines/release', stepNamed('second'));
    await canvas.getByText('second', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add step after trigger' }).click();
    await page.getByLabel('Endpoint').fill('build');
    await canvas.getByText('build', { exact: true }).first().waitFor();
    await write('PATCH', '/pipelines/release', { description: 'theirs' });
    await page.getByText('Version 3 was saved').waitFor();
    await canvas.getByText('build', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Undo', disabled: false }).waitFor();
    await owner.expectAccessible();
    await owner.shot('newer-version-of-pipeline');
    await page.getByRole('button', { name: 'Apply my changes to version 3' }).click();
    await page
      .getByRole('button', { name: 'Save release' })
      .and(page.locator(':not([aria-disabled="true"])'))
      .click();
    await page.getByText('release saved as version 4').waitFor();
    const { nodes } = await read<{ nodes: { id: string }[] }>('/pipelines/release');
    expect(nodes.map(({ id }) => id).sort()).toEqual(['build', 'second']);
    expect(await page.getByText(/^Version \d was saved/).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo', disabled: false }).click();
    await canvas.getByText('build', { exact: true }).first().waitFor({ state: 'detached' });
    await write('PATCH', '/pipelines/release', stepNamed('third'));
    await page.getByRole('button', { name: 'Discard my changes and show version 5' }).click();
    await canvas.getByText('third', { exact: true }).waitFor();
  });
});
