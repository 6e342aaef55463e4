import { afterAll, afterEach, describe, expect, setDefaultTimeout } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildWeb } from '../../tools/web/build.ts';
import { postForm } from '../forms.ts';
import { type HubWorld, type HubWorldOptions, hubWorld } from '../hub-world.ts';
import { linkTo, personWith, sessionIn, signIn } from '../people.ts';
import { pollPause } from '../until.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';

setDefaultTimeout(60_000);

const SHOTS = join(import.meta.dir, '../output/dashboard');
export const OWNER = 'operator@localhost';

/** Tests in a real browser; skipped without one. */
export const describeInBrowser = describe.skipIf(hasNoBrowser);

export const DESKTOP = { width: 1280, height: 800 } as const;
export const PHONE = { width: 360, height: 740 } as const;
export const THEMES = ['light', 'dark'] as const;

let started: Promise<Browser> | undefined;

/** One for all tests of a file. */
function browser(): Promise<Browser> {
  started ??= launchChromium();
  return started;
}

/**
 * The complaints of viewers who have left. They fail the test after its end: an error that was thrown as a viewer leaves would hide
 * the one that the test itself has thrown.
 */
const left: string[] = [];

function expectNoComplaints(): void {
  expect(left.splice(0)).toEqual([]);
}

/** Call it at the top of the file. */
export function closeBrowserAtEnd(): void {
  afterEach(expectNoComplaints);
  afterAll(expectNoComplaints);
  afterAll(async () => {
    const last = started;
    started = undefined;
    await (await last)?.close();
  });
}

/** A real hub that serves the dashboard of these very sources. */
export async function dashboardWorld(options: HubWorldOptions = {}): Promise<HubWorld> {
  await buildWeb();
  return hubWorld({ ...options, env: { SVC_RATE_LIMITS: 'off', ...options.env } });
}

export interface ViewerOptions {
  /**
   * The signed-in person; default: the owner of the hub's own workspace, in which `world.call` calls. Undefined: not signed in.
   */
  readonly email?: string | undefined;
  /** The workspace that is shown, when it is not the person's own. */
  readonly workspace?: string;
  readonly theme?: (typeof THEMES)[number];
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The time in the page: the stopped clock of the test's hub, or that time running on from the load of the page. */
  readonly time?: 'stands still' | 'goes on';
  /** Where the reader is; default: in UTC. */
  readonly timezoneId?: string;
}

/** Somebody in front of the dashboard; what the browser complains about fails the test that they leave, after its end. */
export interface Viewer extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path such as `/endpoints` and waits for its heading. */
  open(path?: string): Promise<void>;
  /** With SVC_TEST_SHOTS: stored as test/output/dashboard/<name>.png, for review. */
  shot(name: string): Promise<void>;
  /** Fails with each finding of axe and its place. `except`: rules of axe that are not checked. */
  expectAccessible(options?: { readonly except: readonly string[] }): Promise<void>;
  /** The same for `CONTRAST_RULES` alone, because the other rules do not depend on the theme. `within`: a selector; default: the page. */
  expectContrast(within?: string): Promise<void>;
  /** Nothing is wider than the screen. */
  expectNoSidewaysScroll(): Promise<void>;
  /** Complaints that were expected: those are taken, and fail nothing. */
  takeComplaints(): string[];
}

/** The rules of axe that compare the colour of a text with its background, and that of a link with the text around it. */
export const CONTRAST_RULES = ['color-contrast', 'link-in-text-block'];

export async function viewer(world: HubWorld, options: ViewerOptions = {}): Promise<Viewer> {
  const { theme = 'light', viewport = DESKTOP, workspace, time = 'stands still', timezoneId } = options;
  const email = 'email' in options ? options.email : OWNER;
  const context = await (await browser()).newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...(timezoneId !== undefined && { timezoneId }),
  });
  if (email !== undefined) await context.addCookies([await sessionOf(world, email)]);
  if (workspace !== undefined)
    await context.addInitScript((name) => sessionStorage.setItem('svc.workspace', name), workspace);
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  if (time === 'stands still') await page.clock.setFixedTime(world.clock.nowMs());
  else await page.addInitScript(beginTimeAt, world.clock.nowMs());
  const complaints = await receivedFrom(page);
  const takeComplaints = () => complaints.splice(0);
  return {
    page,
    context,
    takeComplaints,
    async open(path = '') {
      await page.goto(`${world.hub.hubUrl}/dashboard${path === '/' ? '' : path}`);
      await page.locator('main h1').first().waitFor();
    },
    async shot(name) {
      if (!process.env.SVC_TEST_SHOTS) return;
      mkdirSync(SHOTS, { recursive: true });
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
    expectAccessible: ({ except } = { except: [] }) =>
      expectNothingFound(page, {
        rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
      }),
    expectContrast: (within) =>
      expectNothingFound(page, { runOnly: { type: 'rule', values: CONTRAST_RULES } }, within),
    async expectNoSidewaysScroll() {
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(viewport.width);
    },
    async [Symbol.asyncDispose]() {
      left.push(...takeComplaints());
      await context.close();
    },
  };
}

/** `within`: only parts of the page. The dashboard has no frames. */
async function expectNothingFound(page: Page, options: axe.RunOptions, within?: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    async ([given, selector]) => {
      const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
      const { violations } = await run(selector === undefined ? document : { include: [selector] }, {
        iframes: false,
        resultTypes: ['violations'],
        ...given,
      });
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))] as const);
    },
    [options, within] as const,
  );
  expect(found).toEqual([]);
}

/** For `addInitScript`. Timers stay those of the browser: a clock of Playwright's would slow down what draws itself. */
function beginTimeAt(nowMs: number): void {
  const RealDate = Date;
  const aheadMs = nowMs - RealDate.now();
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + aheadMs);
      else super(...(given as [number]));
    }
    static override now(): number {
      return RealDate.now() + aheadMs;
    }
  } as DateConstructor;
}

/** The browser's reports of violations of the Content-Security-Policy, of scripts that broke, and of requests that failed. */
async function receivedFrom(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  // The console does not show every violation: a library that tries `eval` catches what it throws.
  await page.exposeFunction('svcViolation', (text: string) => void complaints.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const report = (globalThis as unknown as { svcViolation(text: string): void }).svcViolation;
      report(`policy violation: ${violatedDirective} ${blockedURI} (${sourceFile})`);
    });
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('Content Security Policy'))
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  return complaints;
}

async function sessionOf(world: HubWorld, email: string) {
  const cookie = email === OWNER ? await ownersCookie(world) : (await signIn(world, email)).cookie;
  const [name = '', value = ''] = cookie.split('=');
  return { name, value, url: world.hub.hubUrl };
}

/** By the link that `svc up` prints, however far the clock of the test was moved. */
async function ownersCookie({ hub }: HubWorld): Promise<string> {
  const { signInUrl } = await hub.firstRun();
  return sessionIn(await postForm(signInUrl));
}

/** How long a page is busy at a time, from when it is watched on. */
export interface Stalls extends AsyncDisposable {
  /** Ends the watch; in milliseconds of processor time, so that what else runs on this machine counts for nothing. */
  longestMs(): Promise<number>;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of its thread, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** One page at a time. */
export async function watchStalls(page: Page): Promise<Stalls> {
  const watched = await browser();
  await watched.startTracing(page, { categories: ['-*', 'disabled-by-default-devtools.timeline'] });
  let isOver = false;
  const stop = () => {
    isOver = true;
    return watched.stopTracing();
  };
  return {
    async longestMs() {
      // The task that answers is not at its end yet.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      return longestTask(JSON.parse((await stop()).toString()).traceEvents);
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) await stop();
    },
  };
}

/** The longest task of the threads that pages run on. */
function longestTask(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = events.filter((event) => event.name === 'RunTask' && pages.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('nothing of the page was traced');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** How long a test waits for a part of the page that appears a moment later. */
const MAX_WAIT_MS = 30_000;

/** Presses Tab until the focus is on the element with this name, which may appear after the first presses. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  while (performance.now() < untilMs) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
    });
    if (name.test(focused.trim())) return;
  }
  throw new Error(`no tab leads to ${name}`);
}

/** Reads until the value is the expected one, and fails with the difference if it never is. */
export async function expectSoon<Value>(read: () => Promise<Value>, expected: NoInfer<Value>): Promise<void> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  let value = await read();
  while (!Bun.deepEquals(value, expected) && performance.now() < untilMs) {
    await pollPause();
    value = await read();
  }
  expect<unknown>(value).toEqual(expected);
}

/** The title follows what is shown by a moment. */
export async function untilTitled(page: Page, title: string): Promise<void> {
  await page.waitForFunction((wanted) => document.title === wanted, title);
}

/** A member of the owner's workspace with this role. */
export async function memberOf(world: HubWorld, email: string, role: 'admin' | 'member'): Promise<void> {
  const owner = await signIn(world, OWNER);
  const invited = await owner.ask('POST', '/team/invite', { body: { email, role } });
  expect(invited.status).toBeLessThan(300);
  const link = await linkTo(world, email);
  const { cookie } = await signIn(world, email);
  const joined = await personWith(world, email, cookie).ask('POST', link);
  expect(joined.status).toBe(200);
}
