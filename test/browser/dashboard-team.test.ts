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

  test('who signs in elsewhere instead of with the invitation is shown it, and joins with one press', async () => {
    const owner = await signIn(world, 'operator@localhost');
    // They have an account, so the link of the invitation alone is no sign-in.
    await signIn(world, 'grace@example.com');
    await owner.ask('POST', '/team/invite', { body: { email: 'grace@example.com', role: 'viewer' } });
    await using grace = await viewer(world, { email: undefined });
    const { page } = grace;
    await page.goto(`${world.hub.hubUrl}/login`);
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.waitForLoadState();
    await using elsewhere = await viewer(world, { email: undefined });
    await elsewhere.page.goto(await linkTo(world, 'grace@example.com'));
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.page.getByRole('heading', { name: 'You are invited' }).waitFor();
    await elsewhere.page.getByRole('link', { name: 'Not now' }).waitFor();
    await elsewhere.expectAccessible();
    await elsewhere.page.getByRole('button', { name: 'Join team' }).click();
    await elsewhere.page
      .getByRole('button', { name: `Switch workspace, current: ${world.start.username}` })
      .waitFor();
  });

  test('gets exactly the endpoints that a grant gives, made and withdrawn on the page of the team', async () => {
    await using person = await viewer(world);
    const { page } = person;
    await person.open('/team');
    await page.getByRole('combobox', { name: 'Members and viewers have' }).click();
    await page.getByRole('option', { name: 'Only endpoints of their grants' }).click();
    await page.getByRole('button', { name: 'Limit members' }).click();
    await page.getByText('Members have only endpoints of their grants').first().waitFor();
    const form = page.getByRole('form', { name: 'New grant' });
    await form.getByRole('button', { name: 'Create grant' }).click();
    await form.getByText('Choose a member of the team.').waitFor();
    await form.getByRole('combobox', { name: 'Member' }).click();
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    await form.getByRole('combobox', { name: 'Endpoints' }).fill('dep*');
    await page.keyboard.press('Tab');
    await form.getByRole('checkbox', { name: 'Approve' }).click();
    await form.getByRole('button', { name: 'Create grant' }).click();
    const row = page.getByRole('button', { name: 'Withdraw the grant for lin@example.com on dep*' });
    await row.waitFor();
    await person.expectAccessible();
    await person.shot('team-grants');
    const inEffect = page.getByRole('combobox', { name: 'Member or service account' });
    await inEffect.click();
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    const rights = page.getByRole('list', { name: 'endpoints with rights' });
    await rights.getByText('view, run, approve').waitFor();
    await row.click();
    await page.getByText('They see no endpoint.').waitFor();
    await person.open('/endpoints/deploy?tab=access');
    await page.getByText('Who may use it').waitFor();
    await page.getByRole('list', { name: 'people and programs' }).waitFor();
    expect(await page.getByRole('list', { name: 'people and programs' }).getByText('lin@').count()).toBe(0);
    await form.getByRole('combobox', { name: 'Member' }).click();
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    await form.getByRole('button', { name: 'Create grant' }).click();
    await page.getByRole('list', { name: 'people and programs' }).getByText('lin@example.com').waitFor();
    await person.expectAccessible();
    await person.expectNoSidewaysScroll();
    await person.shot('endpoint-access');
  });

  test('becomes the owner, who offered it, and both sign in again', async () => {
    await using person = await viewer(world);
    const { page } = person;
    await person.open('/team');
    await page.getByRole('combobox', { name: 'Offer the ownership to' }).click();
    await page.getByRole('option', { name: 'lin@example.com' }).click();
    await page.getByRole('button', { name: 'Offer ownership' }).click();
    await page.getByText('Offered to lin@example.com').waitFor();
    await person.expectAccessible();
    await using lin = await viewer(world, { email: 'lin@example.com', workspace: world.start.username });
    await lin.open('/team');
    await lin.page.getByText('You are offered the ownership').waitFor();
    await lin.expectAccessible();
    await lin.page.getByRole('button', { name: 'Accept' }).click();
    await lin.page.getByRole('button', { name: 'Become owner' }).click();
    await lin.page.waitForURL('**/login');
    // The former owner signs in again, and is a member with a role.
    await using former = await viewer(world, { workspace: world.start.username });
    await former.open('/team');
    await former.page.getByRole('button', { name: 'Remove operator@localhost' }).waitFor();
    person.takeComplaints();
    lin.takeComplaints();
  });
});
