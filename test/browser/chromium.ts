import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's headless shell needs half of the processor time of the browser with its windows. */
const CHROMIUM =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? '';

/** For `describe.skipIf`: this machine has no browser (Debian package chromium-headless-shell). */
export const hasNoBrowser = CHROMIUM === '';

/** @param args options of Chromium, besides those that every test needs */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', ...args] });
}
