// The overlays of the dashboard, which are loaded at their first use: menus, dialogs, reasons, notices.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  PHONE,
  viewer,
} from './dashboard.ts';

closeBrowserAtEnd();

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  );

/** A menu listens to presses elsewhere once it has the focus, a moment after it is drawn. */
const menuHasFocus = (page: Page) =>
  page.waitForFunction(() => document.activeElement?.closest('[role=menu]'));

describeInBrowser('over the dashboard', () => {
  let world: HubWorld;
  beforeAll(async () => {
    world = await dashboardWorld();
    await using agent = await world.agent({ endpoints: [{ name: 'hello', command: 'echo hi' }] });
    const called = world.call('hello');
    await agent.answer('hi\n');
    await called;
    await memberOf(world, 'lin@example.com', 'member');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('a menu is opened and left with keys, and focus goes back to its button', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    const button = page.getByRole('button', { name: /^Account / });
    await button.focus();
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menu', { name: /^Account / }).waitFor();
    await button.and(page.locator('[aria-expanded=true]')).waitFor();
    await owner.expectAccessible();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Sign out');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('Account '));
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
  });

  test('a menu is closed by its button, and by a press anywhere else', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open();
    const button = page.getByRole('button', { name: /^Account / });
    const middle = async () => {
      const box = (await button.boundingBox()) ?? expect.unreachable();
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    const [x, y] = await middle();
    await page.mouse.click(x, y);
    await menuHasFocus(page);
    await page.mouse.click(x, y);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.mouse.click(x, y);
    await menuHasFocus(page);
    await page.mouse.click(600, 500);
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });

  test('a dialog has the focus while it is open, and gives it back', async () => {
    await using owner = await viewer(world, { viewport: PHONE });
    const { page } = owner;
    await owner.open();
    const more = page.getByRole('button', { name: 'More' });
    for (let time = 0; time < 2; time += 1) {
      await more.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Pages' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]'));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.textContent === 'More');
    }
  });

  test('a disabled button shows its reason to pointers and to the keyboard, and does nothing', async () => {
    await using member = await viewer(world, { email: 'lin@example.com', workspace: world.start.username });
    const { page } = member;
    await member.open('/endpoints');
    const button = page.getByRole('button', { name: 'Create endpoint' });
    const reason = page.locator('[popover]:popover-open', { hasText: 'Your role is member' });
    await button.hover();
    await reason.waitFor();
    const [tip, place] = [await reason.boundingBox(), await button.boundingBox()];
    expect(Math.abs((tip?.y ?? 0) - (place?.y ?? 0))).toBeLessThan(120);
    expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual(1280);
    // Over to the sentence, and it stays; then away.
    await reason.hover();
    await page.mouse.move(20, 400);
    await reason.waitFor({ state: 'detached' });
    await button.focus();
    await reason.waitFor();
    await member.expectAccessible();
    await page.keyboard.press('Escape');
    await reason.waitFor({ state: 'detached' });
    await expectSoon(() => focused(page), 'Create endpoint');
    await page.keyboard.press('Enter');
    await button.click({ force: true });
    expect(new URL(page.url()).pathname).toBe('/dashboard/endpoints');
    const described = await button.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toContain('Your role is member');
  });

  test('the first live events are shown, though their view has yet to be loaded, and so are the next', async () => {
    await using owner = await viewer(world);
    const { page } = owner;
    await owner.open('/secrets');
    for (const name of ['FIRST', 'SECOND']) {
      await page.getByRole('button', { name: 'Create secret' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Create secret' });
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Value').fill('x');
      await dialog.getByRole('button', { name: 'Create secret' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(`Secret ${name} saved`).first().waitFor();
    }
  });
});
