// Decisions on pending approvals while others call and decide.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  OWNER,
  viewer,
} from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('a decision', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  let lin: Person;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'deploy', command: 'deploy', approval_required: true },
        { name: 'drop-table', command: 'drop', approval_required: true },
        { name: 'guarded', command: 'echo guarded', approval_required: true },
      ],
    });
    // Now has another page before the first execution.
    expect((await world.call('deploy')).status).toBe(202);
    await memberOf(world, 'lin@example.com', 'admin');
    lin = await signIn(world, 'lin@example.com');
    await denyAll();
  });
  afterEach(() => denyAll());
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  interface Pending {
    readonly approval_id: string;
    readonly execution_id: string;
    readonly endpoint: string;
  }

  async function call(endpoint: string): Promise<string> {
    const { execution_id: id } = (await (await world.call(endpoint)).json()) as Pending;
    return id;
  }

  async function pending(): Promise<readonly Pending[]> {
    const answer = await world.manage('/approvals?status=pending_approval');
    return ((await answer.json()) as { items: Pending[] }).items;
  }

  async function decide(id: string, body: { decision: 'approve' | 'deny'; comment?: string }): Promise<void> {
    const workspace = world.start.username;
    const answer = await lin.ask('POST', `/approvals/${id}/decide`, { body, workspace });
    expect(answer.status).toBe(200);
  }

  async function denyAll(): Promise<void> {
    for (const { approval_id: id } of await pending()) await decide(id, { decision: 'deny' });
  }

  test('has facts that do not move as the age of the request grows', async () => {
    await call('deploy');
    await using owner = await viewer(world, { email: OWNER });
    await owner.open();
    const facts = owner.page.getByRole('article', { name: 'deploy waits for approval' }).locator('dl');
    const heights = (time: string) =>
      facts.evaluate((list: HTMLElement, text) => {
        const shown = list.querySelector('time');
        if (shown !== null) shown.textContent = text;
        return Array.from({ length: 70 }, (_, step) => {
          list.style.width = `${300 + step * 10}px`;
          return list.offsetHeight;
        });
      }, time);
    const first = await heights('5 s ago');
    expect(new Set(first).size).toBeGreaterThan(1);
    for (const later of ['59 s ago', '59 min ago', '23 h ago']) expect(await heights(later)).toEqual(first);
  });

  test('stays open and keeps the comment when another call arrives on Now', async () => {
    await call('deploy');
    await using owner = await viewer(world, { email: OWNER });
    const { page } = owner;
    await owner.open();
    await page.getByRole('article', { name: 'deploy waits for approval' }).waitFor();
    await page.getByRole('button', { name: 'Deny…' }).click();
    const comment = page.getByRole('dialog', { name: 'Deny deploy?' }).getByLabel('Comment (optional)');
    await comment.fill('not on Fri');
    await call('drop-table');
    await page.getByRole('article', { name: 'drop-table waits for approval', includeHidden: true }).waitFor();
    await page.keyboard.type('day, and');
    expect(await comment.inputValue()).toBe('not on Friday, and');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('deploy denied').waitFor();
    await owner.expectAccessible();
    await owner.shot('now-one-waits');
  });

  test('of another person is told to the one who was about to decide', async () => {
    await call('deploy');
    const [waiting] = await pending();
    await using owner = await viewer(world, { email: OWNER });
    const { page } = owner;
    for (const path of ['', '/approvals', `/executions/${waiting?.execution_id}`]) {
      await owner.open(path);
      await page.getByRole('button', { name: 'Approve…' }).click();
      await page.getByRole('dialog', { name: 'Run deploy?' }).getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run deploy?' });
    await dialog.getByLabel('Comment (optional)').fill('go');
    await decide(waiting?.approval_id ?? '', { decision: 'deny', comment: 'frozen' });
    await dialog.getByText('lin@example.com denied this call').waitFor();
    await dialog.getByText('“frozen”').waitFor();
    expect(await dialog.getByLabel('Comment (optional)').inputValue()).toBe('go');
    expect(await dialog.getByRole('button', { name: 'Approve and run' }).count()).toBe(0);
    await owner.expectAccessible();
    await owner.shot('decided-meanwhile');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('closes with its page', async () => {
    await call('deploy');
    await using owner = await viewer(world, { email: OWNER });
    const { page } = owner;
    await owner.open('/agents');
    await page.getByRole('link', { name: 'Approvals' }).first().click();
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByRole('dialog', { name: 'Deny deploy?' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('on several calls finds those that are not among the newest', async () => {
    const ids = [await call('guarded'), await call('guarded'), await call('guarded')];
    await using owner = await viewer(world, { email: OWNER });
    const { page } = owner;
    // Pages of one approval instead of a hundred.
    await page.route('**/approvals?*limit=100*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
    );
    await owner.open('/executions?endpoint=guarded');
    const boxes = page.getByRole('checkbox', { name: 'Select guarded', exact: true });
    for (const n of [0, 1, 2]) {
      await boxes.nth(n).click();
      await boxes.nth(n).and(page.locator('[aria-checked=true]')).waitFor();
    }
    await page.getByRole('button', { name: 'Review 3…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Decide on 3 calls' });
    await expectSoon(() => dialog.getByRole('article', { name: 'guarded' }).count(), 3);
    expect(await dialog.getByText('of the selection').count()).toBe(0);
    const all = await pending();
    const decided = all.find(({ execution_id: id }) => id === ids[0]);
    await decide(decided?.approval_id ?? '', { decision: 'deny' });
    await page.getByText('1 call of the selection no longer waits for approval.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deny 2 calls' }).click();
    await page.getByText('2 calls denied').waitFor();
    expect(await pending()).toEqual([]);
    // The page of an old execution has its buttons, too.
    const old = await call('guarded');
    await call('guarded');
    await owner.open(`/executions/${old}`);
    await page.getByRole('article', { name: 'guarded waits for approval' }).waitFor();
  });
});
