// Pages whose data comes late and piece by piece: what a person already reads keeps its place.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { NOW_WAIT_MS, PAGE_WAIT_MS } from '@svc/web/page-wait';
import type { Locator, Page, Route } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';
import { closeBrowserAtEnd, DESKTOP, dashboardWorld, describeInBrowser, PHONE, viewer } from './dashboard.ts';

/** The aim of the pages; 0.1 counts as bad. */
const MAX_LAYOUT_SHIFT = 0.02;
const WIDE = { width: 1920, height: 1080 };
/** Without these no page is shown at all. */
const AT_ONCE = ['/events', '/workspace'];

closeBrowserAtEnd();

describeInBrowser('late data', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  let failed: string;
  let running: string;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({
      endpoints: [
        { name: 'build', command: 'make' },
        { name: 'guarded', command: 'deploy {{to}}', args: [{ name: 'to' }], approval_required: true },
      ],
    });
    for (let n = 0; n < 4; n += 1) await end(await start(), 0);
    failed = await end(await start(), 2);
    expect((await world.call('guarded?to=eu')).status).toBe(202);
    running = await start();
    agent.output(running, 1, 'goes on\n');
    await agent.untilTaken();
  });
  afterAll(async () => {
    agent.end(running, 1);
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  async function start(): Promise<string> {
    const response = await world.manage('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: 'build', args: {} }),
    });
    expect(response.status).toBe(202);
    return (await agent.receive('run')).execution_id;
  }

  async function end(id: string, exitCode: number): Promise<string> {
    agent.output(id, 1, 'one\ntwo\nthree\n');
    agent.end(id, 1, { kind: 'exited', exit_code: exitCode, duration_ms: 5 });
    await agent.untilTaken();
    return id;
  }

  test.each([
    ['Now on a desk', 'first', DESKTOP, '/'],
    ['Now on a desk', 'last', DESKTOP, '/'],
    ['Now on a phone', 'first', PHONE, '/'],
    ['Now on a phone', 'last', PHONE, '/'],
    ['the executions on a desk', 'first', DESKTOP, '/executions'],
    ['the executions on a phone', 'last', PHONE, '/executions'],
    ['the endpoints on a desk', 'last', DESKTOP, '/endpoints'],
    ['an execution on a desk', 'first', DESKTOP, 'failed'],
    ['an execution on a desk', 'last', DESKTOP, 'failed'],
    ['an execution on a phone', 'last', PHONE, 'failed'],
    ['an execution on a wide screen', 'first', WIDE, 'failed'],
    ['an execution on a wide screen', 'last', WIDE, 'failed'],
    ['a running execution on a desk', 'last', DESKTOP, 'running'],
  ] as const)(
    'moves nothing of %s when the %s request is answered first',
    async (_, order, viewport, subject) => {
      await using ada = await viewer(world, { viewport, time: 'goes on' });
      const { page } = ada;
      await page.addInitScript(recordShifts);
      await page.addInitScript(waitForNoData, [PAGE_WAIT_MS, NOW_WAIT_MS]);
      const held = await holdAnswers(page);
      const paths: Readonly<Record<string, string>> = {
        failed: `/executions/${failed}`,
        running: `/executions/${running}`,
      };
      await page.goto(`${world.hub.hubUrl}/dashboard${paths[subject] ?? subject}`);
      const last = {
        '/': page.getByRole('list', { name: 'Recently succeeded' }),
        '/executions': page.getByRole('list', { name: 'executions' }),
        '/endpoints': page.getByRole('img', { name: /^Last \d+ runs/ }),
        failed: page.getByText('End of output; exit code 2.'),
        running: page.getByText('goes on'),
      }[subject];
      await releaseAll(page, held, order, last);
      const { total, sources } = await page.evaluate(shiftsSoFar);
      expect([total <= MAX_LAYOUT_SHIFT, total, sources]).toEqual([true, total, sources]);
    },
  );
});

interface HeldAnswer {
  readonly path: string;
  readonly release: () => Promise<void>;
}

/** Keeps all answers with data back, in the order in which they were asked for. */
async function holdAnswers(page: Page): Promise<HeldAnswer[]> {
  const held: HeldAnswer[] = [];
  const hold = async (route: Route) => {
    const { pathname, search } = new URL(route.request().url());
    if (route.request().resourceType() !== 'fetch' || AT_ONCE.includes(pathname)) return route.continue();
    const json = pathname.endsWith('/artifacts') ? FILES : undefined;
    held.push({
      path: pathname + search,
      async release() {
        await (json === undefined ? route.continue() : route.fulfill({ json }));
        const response = await route.request().response();
        // The output of a command that runs does not end.
        if (!pathname.endsWith('/stream')) await response?.finished();
      },
    });
  };
  await page.route(({ pathname }) => !pathname.includes('/assets/'), hold);
  return held;
}

/** The files that an execution left. */
const FILES = {
  items: [
    {
      name: 'app.zip',
      size: 10,
      type: 'application/zip',
      state: 'stored',
      created_at: '2026-11-29T12:00:00.000Z',
    },
  ],
};

/** Lets one answer after the other through, each after the page has drawn the one before, until this is seen and none is left. */
async function releaseAll(
  page: Page,
  held: HeldAnswer[],
  order: 'first' | 'last',
  last: Locator,
): Promise<void> {
  for (;;) {
    const next = order === 'first' ? held.shift() : held.pop();
    if (next === undefined) {
      if (await last.first().isVisible()) return;
      await pollPause();
      continue;
    }
    await next.release();
    await page.evaluate(twoFrames);
  }
}

/** Runs in the page. */
async function twoFrames(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** For `addInitScript`: a page with slow data is shown without it after a while. Here that while is over at once. */
function waitForNoData(delaysMs: readonly number[]): void {
  const begin = globalThis.setTimeout;
  globalThis.setTimeout = ((action: () => void, ms: number, ...rest: unknown[]) =>
    begin(action, delaysMs.includes(ms) ? 0 : ms, ...rest)) as typeof setTimeout;
}

interface ShiftEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly {
    readonly node?: Node;
    readonly previousRect: DOMRect;
    readonly currentRect: DOMRect;
  }[];
}

/** For `addInitScript`: notes the layout shifts of the page, and what moved. */
function recordShifts(): void {
  const state = globalThis as unknown as { svcShift: number; svcMoved: string[] };
  state.svcShift = 0;
  state.svcMoved = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as ShiftEntry[]) {
      if (entry.hadRecentInput) continue;
      state.svcShift += entry.value;
      for (const { node, previousRect, currentRect } of entry.sources)
        state.svcMoved.push(
          `${entry.value.toFixed(4)} ${previousRect.y} -> ${currentRect.y}: ${(node?.textContent ?? '').slice(0, 60)}`,
        );
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Runs in the page. */
async function shiftsSoFar(): Promise<{ readonly total: number; readonly sources: readonly string[] }> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const state = globalThis as unknown as { svcShift: number; svcMoved: string[] };
  return { total: state.svcShift, sources: state.svcMoved };
}
