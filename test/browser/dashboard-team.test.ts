// An invited person: from the mail into the team, whose calls they decide on in whatever workspace they are.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { linkTo, signIn } from '../people.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('an invited person', () => {
  let world: HubWorld;
  beforeAll(async () => {
    world = await dashboardWorld();
    await using agent = await world.agent({
      endpoints: [{ name: 'deploy', command: 'deploy', approval_required: true }],
    });
    expect(agent.welcome).toBeDefined();
    expect((await world.call('deploy')).status).toBe(202);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('joins with one press, and is in the team with what waits there', async () => {
    const owner = await signIn(world, 'operator@localhost');
    await owner.ask('POST', '/team/invite', { body: { email: 'lin@example.com', role: 'member' } });
    await using lin = await viewer(world, { email: undefined });
    const { page } = lin;
    await page.goto(await linkTo(world, 'lin@example.com'));
    await page.getByRole('button', { name: 'Join team' }).click();
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
    await page.getByRole('button', { name: `Switch workspace, current: ${world.start.username}` }).waitFor();
    expect(page.url()).not.toContain('workspace=');
  });

  test('is in the team in a new tab too, and sees its waiting calls from their own workspace', async () => {
    await using lin = await viewer(world, { email: 'lin@example.com' });
    const { page } = lin;
    const { username } = world.start;
    await page.goto(`${world.hub.hubUrl}/dashboard/endpoints`);
    const menu = page.getByRole('button', { name: `Switch workspace, current: ${username}` });
    await menu.waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/endpoints');
    await menu.click();
    await page.getByRole('menuitem', { name: /^Personal/ }).click();
    const elsewhere = page.getByRole('button', { name: `1 in ${username}` });
    await elsewhere.waitFor();
    await page.getByRole('heading', { name: 'Choose a username' }).waitFor();
    await lin.expectAccessible();
    await elsewhere.click();
    await page.waitForURL('**/dashboard/approvals');
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
  });
});
