// People in the dashboard: who asks and how long is left, who decided and when, who joined when; and the gallery.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import type { HubWorld } from '../hub-world.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, expectSoon, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('the dashboard', () => {
  let world: HubWorld;
  let approvals: Approvals;
  beforeAll(async () => {
    world = await dashboardWorld();
    approvals = new Approvals(world);
    await world.agent({ endpoints: [{ name: 'deploy', command: 'deploy', approval_required: true }] });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('shows who asks and the time left, denies a call, and keeps who decided and when', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval('deploy');
    world.clock.move(10 * 60_000);
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/approvals');
    const card = page.getByRole('article', { name: 'deploy waits for approval' });
    await card.filter({ hasText: '20 min left' }).waitFor();
    await card.filter({ hasText: /key .+ of operator@localhost/ }).waitFor();
    await card.getByRole('button', { name: 'Deny…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deny deploy?' });
    await dialog.getByRole('textbox').fill('not today');
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    // An open dialog hides the card as well, so the card says nothing before the dialog has gone.
    await dialog.waitFor({ state: 'detached' });
    await card.waitFor({ state: 'detached' });
    expect(await approvals.approval(id)).toMatchObject({ status: 'denied', comment: 'not today' });
    expect(await approvals.execution(executionId)).toMatchObject({ status: 'denied' });
    const row = page.getByRole('listitem').filter({ hasText: 'by operator@localhost' });
    await row.filter({ hasText: 'not today' }).waitFor();
    await expectSoon(
      () => row.locator('time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime'))),
      ['2026-11-20T12:10:00.000Z', '2026-11-20T12:00:00.000Z'],
    );
  });

  test('shows when a member joined', async () => {
    world.clock.move(7 * 60_000);
    const joinedAt = new Date(world.clock.nowMs()).toISOString();
    await approvals.member('lin@example.com');
    const listed = (await (await world.manage('/team/members')).json()) as {
      items: { email: string; joined_at: string }[];
    };
    expect(listed.items).toMatchObject([{ email: 'lin@example.com', joined_at: joinedAt }]);
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/team');
    const member = page.getByRole('listitem').filter({ hasText: 'lin@example.com' });
    await member.filter({ hasText: 'joined' }).waitFor();
    await expectSoon(() => member.locator('time').getAttribute('datetime'), joinedAt);
  });

  test('narrows the gallery to a category', async () => {
    const { templates } = (await (await fetch(`${world.hub.hubUrl}/api/templates`)).json()) as {
      templates: { name: string; category: string }[];
    };
    const names = (category: string) =>
      templates.filter((one) => one.category === category).map(({ name }) => name);
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/templates');
    const first = page.getByText(names('Git')[0] ?? '', { exact: true }).first();
    await first.waitFor();
    await page.getByLabel('Category').click();
    await page.getByRole('option', { name: 'Docker', exact: true }).click();
    await first.waitFor({ state: 'detached' });
    for (const name of names('Docker')) await page.getByText(name, { exact: true }).first().waitFor();
  });
});
