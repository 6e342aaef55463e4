// What the dashboard keeps when a session ends or a workspace refuses the person.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { linkTo, signIn } from '../people.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, memberOf, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('the end of a session', () => {
  let world: HubWorld;
  beforeAll(async () => {
    world = await dashboardWorld();
    await using agent = await world.agent({ endpoints: [{ name: 'deploy', command: 'deploy' }] });
    expect(agent.welcome).toBeDefined();
    await memberOf(world, 'lin@example.com', 'member');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** A new link by which the address signs in. */
  async function linkOf(email: string): Promise<string> {
    await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    return await linkTo(world, email);
  }

  test('leads back to the address in the team, also from a mail that opens another tab', async () => {
    await using lin = await viewer(world, { email: 'lin@example.com' });
    const { page, context } = lin;
    const { username } = world.start;
    const address = '/dashboard/endpoints/deploy?tab=history';
    await lin.open(`/endpoints/deploy?tab=history&workspace=${username}`);
    const team = (shown: typeof page) =>
      shown.getByRole('button', { name: `Switch workspace, current: ${username}` });
    await team(page).waitFor();
    const elsewhere = await signIn(world, 'lin@example.com');
    expect((await elsewhere.ask('POST', '/auth/logout/everywhere')).status).toBe(204);
    // The end of the live stream, or the request of another page, shows the end of the session.
    await page.waitForURL('**/login?to=**');
    expect(new URL(page.url()).searchParams.get('to')).toBe(`${address}&workspace=${username}`);
    await page.getByLabel('Email').fill('lin@example.com');
    await page.getByRole('button', { name: /link/ }).click();
    await page.getByRole('heading', { name: 'No mail server' }).waitFor();
    const other = await context.newPage();
    await other.goto(await linkTo(world, 'lin@example.com'));
    await other.getByRole('button').first().click();
    await other.waitForURL(`**${address}`);
    await team(other).waitFor();
    await other.getByRole('heading', { name: 'deploy' }).waitFor();
    for (const complaint of lin.takeComplaints()) expect(complaint).toContain('401');
  });

  test('of a membership leads to the own workspace after the next sign-in', async () => {
    await memberOf(world, 'sam@example.com', 'member');
    await using sam = await viewer(world, { email: 'sam@example.com' });
    const { page } = sam;
    await sam.open(`/endpoints?workspace=${world.start.username}`);
    const owner = await signIn(world, 'operator@localhost');
    const { body } = await owner.ask('GET', '/team/members');
    const members = body.items as { id: string; email: string }[];
    const id = members.find(({ email }) => email === 'sam@example.com')?.id;
    expect((await owner.ask('DELETE', `/team/members/${id}`)).status).toBeLessThan(300);
    await page.waitForURL('**/login?to=**');
    // The tab has the team selected still, which refuses them now.
    await page.goto(await linkOf('sam@example.com'));
    await page.getByRole('button').first().click();
    await page.getByRole('heading', { name: 'Choose a username' }).waitFor();
    for (const complaint of sam.takeComplaints()) expect(complaint).toMatch(/401|403|no member/);
  });

  test('a person without a workspace of their own is in their team at the whole address', async () => {
    await using lin = await viewer(world, { email: 'lin@example.com' });
    const { page } = lin;
    await page.goto(`${world.hub.hubUrl}/dashboard/endpoints?tag=nightly#L5`);
    await page.getByRole('button', { name: `Switch workspace, current: ${world.start.username}` }).waitFor();
    const { pathname, search, hash } = new URL(page.url());
    expect([pathname, search, hash]).toEqual(['/dashboard/endpoints', '?tag=nightly', '#L5']);
  });

  test('by signing out keeps settings for the same person, and shows them to no other', async () => {
    await memberOf(world, 'max@example.com', 'member');
    await using lin = await viewer(world, { email: 'lin@example.com' });
    const { page, context } = lin;
    const { username } = world.start;
    await lin.open(`/endpoints?workspace=${username}`);
    await page.getByRole('button', { name: 'Star deploy' }).click();
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Dark theme' }).click();
    await lin.open('/executions?status=failed');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('What failed');
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    const view = page.getByRole('link', { name: 'What failed', exact: true });
    await view.waitFor();
    // The palette remembers names.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('deploy');
    await page.getByRole('option', { name: /^deploy/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Run deploy' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const keys = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
    expect((await keys()).some((key) => key.startsWith('svc.recent'))).toBe(true);

    const signOut = async () => {
      await page.getByRole('button', { name: /^Account / }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL('**/login');
    };
    const signInAs = async (email: string) => {
      await page.goto(await linkOf(email));
      await page.getByRole('button').first().click();
      await page.waitForURL('**/dashboard');
    };
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await signOut();
    const left = (await keys()).filter((key) => key.startsWith('svc.'));
    expect(left.filter((key) => !/^svc\.(of\.|theme$)/.test(key))).toEqual([]);

    await signInAs('max@example.com');
    await lin.open(`/endpoints?workspace=${username}`);
    await page.getByRole('button', { name: 'Star deploy', pressed: false }).waitFor();
    expect(await theme()).toBe('dark');
    await lin.open('/executions?status=failed');
    await page.getByRole('button', { name: 'Save view' }).waitFor();
    expect(await view.count()).toBe(0);
    await signOut();

    await signInAs('lin@example.com');
    await lin.open(`/endpoints?workspace=${username}`);
    await page.getByRole('button', { name: 'Star deploy', pressed: true }).waitFor();
    await lin.open('/executions');
    await view.waitFor();
    expect(context.pages()).toHaveLength(1);
    for (const complaint of lin.takeComplaints()) expect(complaint).toContain('401');
  });
});
