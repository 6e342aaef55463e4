// The documentation in a real browser, as a hub serves it: every page is accessible in both themes, the search works, and the
// recording of the start page plays.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { buildDocumentation } from '../../tools/docs/build.ts';
import { docsPages } from '../../tools/docs/pages.ts';
import type { HubWorld } from '../hub-world.ts';
import {
  CONTRAST_RULES,
  closeBrowserAtEnd,
  DESKTOP,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  PHONE,
  THEMES,
  type Viewer,
  viewer,
} from './dashboard.ts';

closeBrowserAtEnd();

const NAMES = docsPages(join(import.meta.dir, '../..')).map(({ name }) => name);

describeInBrowser('the documentation', () => {
  let world: HubWorld;
  beforeAll(async () => {
    await buildDocumentation();
    world = await dashboardWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  const addressOf = (name: string) => `${world.hub.hubUrl}/docs/${name}.html`;

  describe('one page after the other, in one tab', () => {
    let reader: Viewer;
    /** The looks whose contrast was already measured, on any page. */
    const seen = new Set<string>();
    beforeAll(async () => {
      reader = await viewer(world, { email: undefined });
    });
    afterAll(() => reader?.[Symbol.asyncDispose]());

    test.each(NAMES)('%s is accessible in both themes, and fits on a phone', async (name) => {
      const { page } = reader;
      await page.setViewportSize(PHONE);
      await page.goto(addressOf(name));
      await page.evaluate(layOutAllSections);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
      await page.setViewportSize(DESKTOP);
      await reader.expectAccessible({ except: CONTRAST_RULES });
      const looks = await page.evaluate(keepNewLooks, [...seen]);
      for (const colorScheme of looks.length === 0 ? [] : THEMES) {
        await page.emulateMedia({ colorScheme });
        await reader.expectContrast('[data-look]');
      }
      for (const look of looks) seen.add(look);
      expect(reader.takeComplaints()).toEqual([]);
    });
  });

  test.each([
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const)('is searched, %s', async (theme, viewport) => {
    await using reader = await viewer(world, { email: undefined, theme, viewport });
    const { page } = reader;
    await page.goto(addressOf('config'));
    const search = page.getByRole('searchbox', { name: 'Search the documentation' });
    await search.fill('leading dash');
    const results = page.getByRole('list', { name: 'Search results' });
    await results.getByRole('link').first().waitFor();
    await reader.expectAccessible();
    await search.fill('files that a command leaves');
    await results.getByRole('link', { name: 'Files that a command leaves' }).click();
    await page.getByRole('heading', { name: 'Files', level: 1, exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('#files-that-a-command-leaves');
  });

  test('leads from a link to a section of a long page, whose tables are laid out late', async () => {
    await using reader = await viewer(world, { email: undefined });
    const { page } = reader;
    await page.goto(addressOf('index'));
    for (const anchor of ['rights-on-endpoints', 'endpoint', 'stepattempt']) {
      await page.goto(`${addressOf('api')}#${anchor}`);
      const top = () =>
        page.locator(`#${anchor}`).evaluate((one) => Math.round(one.getBoundingClientRect().top));
      // Below the header, as on every page.
      await expectSoon(async () => Math.abs((await top()) - 72) < 8, true);
    }
  });

  const LAST_TEXT = '"type":"done"';

  test('shows its recording at once to a reader who wants less motion, and plays it on demand', async () => {
    await using reader = await viewer(world, { email: undefined });
    const { page } = reader;
    await page.goto(addressOf('index'));
    const last = page.locator('#recording [data-at]', { hasText: LAST_TEXT });
    expect(await opacityOf(last)).toBe('1');
    await page.getByRole('button', { name: 'Play the recording' }).press('Enter');
    await expectSoon(() => opacityOf(last), '0');
    await reader.expectAccessible();
    await page.getByRole('button', { name: 'Show everything' }).press('Enter');
    expect(await opacityOf(last)).toBe('1');
  });

  test('plays its recording to the end where motion is welcome, without a shift of the page', async () => {
    await using reader = await viewer(world, { email: undefined });
    const { page } = reader;
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.clock.install();
    await page.goto(addressOf('index'));
    const last = page.locator('#recording [data-at]', { hasText: LAST_TEXT });
    const call = page.locator('#recording [data-at]', { hasText: '1 of 3' });
    const placeOf = () => last.boundingBox();
    const place = await placeOf();
    await expectSoon(() => opacityOf(call), '0');
    for (let seconds = 0; (await opacityOf(call)) === '0' && seconds < 60; seconds += 1)
      await page.clock.runFor(1_000);
    expect(await opacityOf(last)).toBe('0');
    await page.clock.runFor(60_000);
    await page.getByRole('button', { name: 'Play the recording' }).waitFor();
    expect([await opacityOf(last), await placeOf()]).toEqual(['1', place]);
  });
});

function opacityOf(element: Locator): Promise<string> {
  return element.evaluate((shown) => getComputedStyle(shown).opacity);
}

/** Late sections count for the width of the page only when they are laid out, and axe is slow when it makes the browser do that one by one. */
function layOutAllSections(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('main > section { content-visibility: visible !important; }');
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Marks one visible element with text for each look that is not in `seen`, removes the sections without such an element, and returns the
 * new looks. A look is the elements and classes around a text. Texts of one look have the same colours, so each look is measured once: the
 * API reference has 20,000 elements.
 */
function keepNewLooks(seen: readonly string[]): string[] {
  const looks = new Set(seen);
  const added: string[] = [];
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
    if (!hasText || !element.checkVisibility()) continue;
    const path: string[] = [];
    for (let one: Element | null = element; one !== null; one = one.parentElement)
      path.push(`${one.localName}.${one.className}${one.hasAttribute('aria-current') ? '[current]' : ''}`);
    const look = path.join(' ');
    if (looks.has(look)) continue;
    looks.add(look);
    added.push(look);
    element.setAttribute('data-look', '');
  }
  for (const section of document.querySelectorAll('main > section'))
    if (section.querySelector('[data-look]') === null) section.remove();
  return added;
}
