// From nothing to a running command in a real browser, by keyboard alone, with the commands that the page itself shows.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import type { HubWorld } from '../hub-world.ts';
import { linkTo } from '../people.ts';
import { startSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, PHONE, tabTo, viewer } from './dashboard.ts';

const EMAIL = 'ada@example.com';
const HELLO = {
  name: 'hello',
  description: 'Says hello',
  command: 'echo "Hello, {{name}}!"',
  args: [{ name: 'name', default: 'world' }],
};

closeBrowserAtEnd();

describeInBrowser('the first run', () => {
  let world: HubWorld;
  beforeAll(async () => {
    world = await dashboardWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('goes from the sign-in to output, by keyboard alone, with the commands that it shows', async () => {
    await using ada = await viewer(world, { email: undefined });
    const { page } = ada;
    const press = (key: string) => page.keyboard.press(key);

    await page.goto(world.hub.hubUrl);
    await ada.expectAccessible();
    await ada.shot('sign-in');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(EMAIL);
    await press('Enter');
    await page.getByRole('heading', { name: 'No mail server' }).waitFor();
    await page.goto(await linkTo(world, EMAIL));
    await ada.expectAccessible();
    await page.locator('button:focus').waitFor();
    await press('Enter');

    await page.getByRole('heading', { name: 'Choose a username' }).waitFor();
    await ada.expectAccessible();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('-');
    await press('Enter');
    await page.getByLabel('Username').and(page.locator('[aria-invalid=true]')).waitFor();
    await press('Backspace');
    await page.keyboard.type('ada');
    await ada.shot('first-run-username');
    await press('Enter');

    await page.getByRole('heading', { name: 'Three steps to your first call' }).waitFor();
    await ada.expectAccessible();
    await tabTo(page, /^Create agent token$/);
    await press('Enter');
    const commands = await page.getByText(/SVC_TOKEN=/).innerText();
    await ada.expectAccessible();
    await ada.shot('first-run-agent');
    await using _agent = await startAsShown(commands);

    // Nothing is pressed or reloaded: the page gets an event.
    await page.getByText('Online', { exact: true }).waitFor();
    await tabTo(page, /^Create API key$/);
    await press('Enter');
    const call = await page.getByText(/export SVC_API_KEY=/).innerText();
    await ada.shot('first-run-key');
    await tabTo(page, /^Run hello$/);
    await press('Enter');
    await page.getByText('Hello, world!', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'You are set up' }).waitFor();
    await ada.expectAccessible();
    await ada.shot('first-run-done');
    expect(await outputOf(call)).toContain('Hello, world!');

    await tabTo(page, /^Skip to content$/);
    await tabTo(page, /^Go to Now$/);
    await press('Enter');
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
  });

  test('fits on a phone, and names the people who may make tokens to a member who may not', async () => {
    await using phone = await viewer(world, { email: 'new@example.com', viewport: PHONE, theme: 'dark' });
    await phone.open();
    await phone.page.getByLabel('Username').fill('a-name-as-long-as-it-may-be-for-anybody');
    await phone.expectNoSidewaysScroll();
    await phone.expectAccessible();
    await phone.shot('first-run-phone');
  });
});

/** The agent of the command that the page shows: `SVC_TOKEN=… svc agent --base-url …`. */
async function startAsShown(commands: string): Promise<AsyncDisposable> {
  const [, token = '', args = ''] = /SVC_TOKEN=(\S+) svc (agent .+)$/m.exec(commands) ?? [];
  const folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText([HELLO]));
  const child = startSvc([...args.trim().split(' '), '--state-dir', join(folder.path, 'state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: token },
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The output of a terminal when the shown lines are pasted into it. */
async function outputOf(lines: string): Promise<string> {
  const shell = Bun.spawn(['sh', '-c', lines], { stdout: 'pipe', stderr: 'inherit' });
  return await new Response(shell.stdout).text();
}
