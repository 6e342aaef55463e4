// The page of a pending call in a real browser, without scripts, on a phone and on paper: it shows exactly what will run.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';

const PHONE = { width: 360, height: 640 };
const ENDPOINTS = [
  {
    name: 'deploy',
    command: 'deploy {{target}} --note {{note}} --confirm',
    approval_required: true,
    args: [
      { name: 'target', type: 'text', default: 'eu' },
      { name: 'note', type: 'text' },
    ],
  },
];

/** Each would change what a careless page shows of the rest of the command. */
const HOSTILE = {
  'turns text around': '\u202E\u2067mrifnoc--',
  'right-to-left letters': 'שלום) --dry-run (עולם',
  'ends its element': '</span></pre></main><h1>Approved</h1><!--',
  'a form of its own': '"><form action="https://evil.example"><button name=decision value=approve>',
  style: '<style>*{display:none}</style>',
  'lines that push the rest away': `a${'\n'.repeat(500)}b`,
  '10 KB of text': 'x'.repeat(10_000),
  '10 KB of spaces': `a${' '.repeat(10_000)}b`,
  'a pile of marks': `a${'\u0301'.repeat(3_000)}`,
  'wide signs': '﷽'.repeat(2_000),
  'a terminal': '\u001b[2J\u001b[1;1H',
};

describe.skipIf(hasNoBrowser)('a person with a phone', () => {
  let browser: Browser;
  let world: HubWorld;
  let approvals: Approvals;
  beforeAll(async () => {
    browser = await launchChromium();
    world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
    await world.agent({ endpoints: ENDPOINTS });
    approvals = new Approvals(world);
  });
  afterAll(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  async function opened(values: Record<string, string>) {
    const { approve_url: url, approval_id: id } = await approvals.callForApproval('deploy', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(values),
    });
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
    const page = await context.newPage();
    await page.goto(url);
    return { page, id, [Symbol.asyncDispose]: () => context.close() };
  }

  test('reads what will run, and approves it', async () => {
    await using pending = await opened({ target: 'us' });
    const { page, id } = pending;
    expect(await page.title()).toBe('Run deploy?');
    expect(await page.innerText('pre.command')).toBe('deploy us --note no note --confirm');
    expect(await page.innerText('dl.facts')).toContain('deploy, version 1');
    await page.getByLabel('Comment (optional)').fill('go');
    await page.getByRole('button', { name: 'Approve and run' }).click();
    await page.getByRole('heading', { name: 'Approved', exact: true }).waitFor();
    expect(await approvals.approval(id)).toMatchObject({ status: 'approved', comment: 'go' });
    await page.reload();
    expect(await page.innerText('main')).toContain('This approval is closed');
  });

  test('reads a short value in one piece, though a line could end at its hyphens', async () => {
    await using pending = await opened({ note: 'one-two-three-four' });
    const note = pending.page.locator('.v').nth(1);
    expect(await note.innerText()).toBe('one-two-three-four');
    expect(await note.evaluate((element) => element.getClientRects().length)).toBe(1);
  });

  test('denies with the button that is far from the other', async () => {
    await using pending = await opened({});
    const { page, id } = pending;
    const [approve, deny] = [
      page.getByRole('button', { name: 'Approve and run' }),
      page.getByRole('button', { name: 'Deny' }),
    ];
    const [one, two] = [await approve.boundingBox(), await deny.boundingBox()];
    expect(Math.min(one?.height ?? 0, two?.height ?? 0)).toBeGreaterThanOrEqual(44);
    const apart = Math.max(
      (two?.y ?? 0) - (one?.y ?? 0) - (one?.height ?? 0),
      (two?.x ?? 0) - (one?.x ?? 0) - (one?.width ?? 0),
    );
    expect(apart).toBeGreaterThanOrEqual(32);
    await deny.click();
    await page.getByRole('heading', { name: 'Denied', exact: true }).waitFor();
    expect(await approvals.approval(id)).toMatchObject({ status: 'denied' });
  });

  test.each(Object.entries(HOSTILE))('is not deceived by %s', async (_, value) => {
    await using pending = await opened({ target: value, note: value });
    const { page } = pending;
    await holds(page);
    const command = await page.innerText('pre.command');
    expect(command).toStartWith('deploy ');
    expect(command).toEndWith(' --confirm');
    // Both ends of the command are seen, close together, and each stands where it is read.
    const [start, end] = await Promise.all([rectOf(page, 'deploy '), rectOf(page, ' --confirm')]);
    expect(start.y).toBeLessThan(end.y + 1);
    expect(end.y - start.y).toBeLessThan(PHONE.height * 2);
    expect(end.right).toBeLessThanOrEqual(PHONE.width);
    expect(await disordered(page)).toEqual([]);
  });

  test('prints it without the form, in black on white', async () => {
    await using pending = await opened({ target: 'us' });
    const { page } = pending;
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.isVisible('pre.command')).toBe(true);
    expect((await page.pdf()).length).toBeGreaterThan(1_000);
  });

  test.each(['light', 'dark'] as const)('can read all of it in the %s', async (colorScheme) => {
    await using pending = await opened({ target: 'a\nb' });
    const { page } = pending;
    await page.emulateMedia({ colorScheme });
    for (const selector of [
      'h1',
      '.note',
      '.facts dt',
      '.v',
      '.s',
      '.m',
      'pre.command',
      'button',
      'button.deny',
      '.state',
    ])
      expect([selector, (await contrastOf(page, selector)) >= 4.5]).toEqual([selector, true]);
  });
});

/** The page is as it was made: one heading, one form, two buttons, nothing wider than the screen. */
async function holds(page: Page): Promise<void> {
  expect(await page.locator('h1').allInnerTexts()).toEqual(['Run deploy?']);
  expect(await page.locator('form').count()).toBe(1);
  expect(await page.getByRole('button').allInnerTexts()).toEqual(['Approve and run', 'Deny']);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  for (const button of await page.getByRole('button').all()) expect(await button.isVisible()).toBe(true);
}

/** Where a text of the command itself stands. */
async function rectOf(page: Page, text: string): Promise<{ y: number; right: number }> {
  return await page.evaluate((wanted) => {
    const command = document.querySelector('pre.command');
    for (const node of command?.childNodes ?? []) {
      if (node.textContent !== wanted) continue;
      const range = document.createRange();
      range.selectNode(node);
      const { y, right } = range.getBoundingClientRect();
      return { y: y + window.scrollY, right };
    }
    throw new Error(`"${wanted}" is no text of the command`);
  }, text);
}

/** Characters of the command that stand left of the one before them in their line: none, whatever script they are in. */
async function disordered(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const wrong: string[] = [];
    let before = { x: -1, y: -1 };
    const command = document.querySelector('pre.command');
    if (command === null) throw new Error('no command');
    const texts = document.createTreeWalker(command, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      for (let at = 0; at < (node.textContent?.length ?? 0); at += 1) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { x, y, width } = range.getBoundingClientRect();
        if (width === 0) continue;
        if (Math.abs(y - before.y) < 4 && x < before.x - 1) wrong.push(node.textContent?.charAt(at) ?? '');
        before = { x, y };
      }
    }
    return wrong;
  });
}

/** The contrast of the text to its background, by WCAG 2.1; the browser resolves the colours. */
async function contrastOf(page: Page, selector: string): Promise<number> {
  return await page.evaluate((wanted) => {
    const rgb = (color: string) => {
      const context = new OffscreenCanvas(1, 1).getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (color: number[]) => {
      const [r = 0, g = 0, b = 0] = color
        .slice(0, 3)
        .map((byte) => byte / 255)
        .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const element = document.querySelector(wanted);
    if (element === null) throw new Error(`no ${wanted}`);
    let behind: Element | null = element;
    while (behind !== null && rgb(getComputedStyle(behind).backgroundColor)[3] === 0)
      behind = behind.parentElement;
    const [ink, paper] = [
      luminance(rgb(getComputedStyle(element).color)),
      luminance(rgb(getComputedStyle(behind ?? document.body).backgroundColor)),
    ];
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  }, selector);
}
