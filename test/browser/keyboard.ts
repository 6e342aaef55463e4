import { expect } from 'bun:test';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

const TREES = join(import.meta.dir, 'trees');
const MAX_WAIT_MS = 30_000;

/**
 * Presses Tab until the focus is on the element with this accessible name, and with this role where one is given. The element
 * may appear after the first presses.
 */
export async function focusOn(page: Page, name: RegExp, role?: string): Promise<void> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  while (performance.now() < untilMs) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(describeFocus);
    if (name.test(focused.name) && (role === undefined || focused.role === role)) return;
  }
  throw new Error(`no tab leads to ${name}`);
}

/** Runs in the page: the name and the role of what has the focus. */
function describeFocus(): { name: string; role: string } {
  // An editor has the focus in a shadow root.
  const focused = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
  if (focused === null) return { name: '', role: '' };
  const ids = focused.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const labelled = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const { labels } = focused as HTMLInputElement;
  const name =
    focused.getAttribute('aria-label') ||
    labelled ||
    [...(labels ?? [])].map((label) => label.textContent).join(' ') ||
    focused.textContent;
  return {
    name: (name ?? '').replaceAll(/\s+/g, ' ').trim(),
    role: focused.getAttribute('role') ?? focused.tagName.toLowerCase(),
  };
}

/**
 * Compares the accessibility tree of a part of the page with the file in `trees/`. `SVC_STORE_TREES=1` stores it instead: read
 * the difference before you commit it.
 */
export async function expectTree(part: Locator, name: string): Promise<void> {
  const read = async () => `${withoutChance(await part.ariaSnapshot())}\n`;
  const file = Bun.file(join(TREES, `${name}.yml`));
  if (process.env.SVC_STORE_TREES === '1') await Bun.write(file, await read());
  const stored = await file.text();
  // Content that is read from the hub may appear a moment later.
  const untilMs = performance.now() + MAX_WAIT_MS;
  let tree = await read();
  while (tree !== stored && performance.now() < untilMs) tree = await read();
  expect(tree).toBe(stored);
}

/** Without what differs from run to run: ids, tokens, ports and spans. */
function withoutChance(tree: string): string {
  return tree
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\b(?=[a-f]*\d)[0-9a-f]{8}\b/g, '<id>')
    .replaceAll(/svc_[a-z]+_\w{8,}/g, '<token>')
    .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1:<port>')
    .replaceAll(/\b(?:\d+(?:\.\d)? (?:ms|s|min|h|days?) ?)+(?=ago|left|\b)/g, '<span> ');
}
