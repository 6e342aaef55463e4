// The output of commands, in a real browser: a hundred thousand lines, live at ten thousand a second, and with any content.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { openHubFile } from '../hub-file.ts';
import type { HubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  PHONE,
  untilTitled,
  viewer,
  watchStalls,
} from './dashboard.ts';

closeBrowserAtEnd();

/**
 * Prints `perSecond` lines of some colour without end, in pieces of a hundredth: short enough for a pipe to take whole, so that
 * a cancellation never leaves half a line.
 */
const FLOOD = `
import sys, time
per_second, seconds = int(sys.argv[1]), float(sys.argv[2])
piece, n, at = per_second // 100, 0, time.monotonic()
end = at + seconds
while time.monotonic() < end:
    sys.stdout.write(''.join('\\033[32mok\\033[0m request %d was served\\n' % (n + i) for i in range(piece)))
    sys.stdout.flush()
    n, at = n + piece, at + 0.01
    time.sleep(max(at - time.monotonic(), 0))
`;

const HOSTILE = [
  '<script>document.title = "pwned"</script><img src=x onerror=alert(1)>',
  '\u001b]0;pwned\u0007after a title',
  '\u001b]8;;javascript:alert(1)\u001b\\a link\u001b]8;;\u001b\\',
  'rm \u202Etxt.exe',
  '\u001b[2J\u001b[1;1Hcleared',
  'first\rlast',
  '\u001b]0;no end',
  '\u001b[30;40mblack on black\u001b[0m',
  '\u001b[8mconcealed\u001b[0m',
  `${'x'.repeat(9_000)}END`,
];
const SHOWN = [
  '<script>document.title = "pwned"</script><img src=x onerror=alert(1)>',
  'after a title',
  'a link',
  'rm U+202Etxt.exe',
  'cleared',
  '1last',
  '\\e]0;no end',
  'black on black',
  'concealed',
  `${'x'.repeat(4_000)}5,003 more characters`,
];
const ROWS = Array.from({ length: 300 }, (_, n) => ({
  name: `svc-${n}`,
  load: (n * 37) % 300,
  up: n % 2 === 0,
}));

/** 3 × 2 pixels, all red. */
const RED_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVQI12P8zwAFTDAGAwATKQEDO7FpHgAAAABJRU5ErkJggg==',
  'base64',
);
const ACTIVE = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="pwned"</script></svg>';

/** What is previewed, and what must not be. */
async function writeArtifacts(folder: string): Promise<void> {
  const huge = Buffer.from(RED_PNG);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  const files = {
    'red.png': RED_PNG,
    'huge.png': huge,
    'fake.png': ACTIVE,
    'active.svg': ACTIVE,
    'page.html': `${HOSTILE[0]}\n${HOSTILE[3]}`,
    'long.txt': `${'é'.repeat(40_000)}END`,
    'app.zip': 'PK',
  };
  for (const [name, content] of Object.entries(files)) await Bun.write(join(folder, name), content);
}

const TIME_OF_DAY = /^\d\d:\d\d:\d\d\.\d$/;

/** A time zone that is always five and a half hours ahead of UTC. */
function timeInKolkata(atMs: number): string {
  return new Date(atMs + 5.5 * 3_600_000).toISOString().slice(11, 21);
}

/** A hundred thousand take their time to be stored. */
const MANY = process.env.SVC_TEST_LONG ? 100_000 : 10_000;

describeInBrowser('an execution', () => {
  let world: HubWorld;
  let agent: RealAgent;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-output-'));
    await Bun.write(join(folder, 'flood.py'), FLOOD);
    await Bun.write(join(folder, 'hostile.txt'), `${HOSTILE.join('\n')}\n`);
    await Bun.write(
      join(folder, 'rows.json'),
      JSON.stringify(ROWS).replace('"load":0', '"load":12345678901234567890'),
    );
    await writeArtifacts(join(folder, 'files'));
    expect(Bun.spawnSync(['mkfifo', join(folder, 'gate')]).exitCode).toBe(0);
    world = await dashboardWorld();
    agent = await realAgent(
      world,
      [
        { name: 'count', command: 'seq -f "line %.0f" {{to}}', args: [{ name: 'to', default: '100000' }] },
        {
          name: 'flood',
          command: 'python3 flood.py {{rate}} {{seconds}}',
          args: [{ name: 'rate' }, { name: 'seconds' }],
        },
        { name: 'hostile', command: 'cat hostile.txt' },
        { name: 'rows', command: 'cat rows.json', transform: { parse: 'json' } },
        {
          name: 'stumble',
          command:
            'sh -c "seq 3000; echo 12 passed, 0 failed; echo TypeError: x is no function; seq 3000; echo fatal: gone; exit 1"',
        },
        {
          name: 'convert',
          command: 'cp {{table}} "$SVC_OUTPUT_DIR/report.txt"; ln -s /etc/passwd "$SVC_OUTPUT_DIR/link"',
          args: [{ name: 'table', type: 'file', required: true }],
          artifacts: ['**'],
        },
        {
          name: 'pictures',
          command: `cp ${folder}/files/* "$SVC_OUTPUT_DIR"`,
          artifacts: ['**'],
        },
        { name: 'wait', command: 'sh -c "echo waiting; sleep 60"' },
        {
          name: 'timed',
          command: `sh -c "printf 'one\\ntwo\\n'; read line < ${folder}/gate; sleep 1.2; echo three; read line < ${folder}/gate"`,
        },
        { name: 'guarded', command: 'echo guarded', approval_required: true },
        { name: 'again', command: 'echo again' },
        {
          name: 'secretly',
          command: 'echo {{word}}',
          args: [{ name: 'word' }, { name: 'token', secret: true }],
        },
      ].map((endpoint) => ({ ...endpoint, cwd: folder })),
    );
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(endpoint: string, args: Record<string, string> = {}): Promise<string> {
    const answer = await world.manage('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint, args }),
    });
    return ((await answer.json()) as { execution_id: string }).execution_id;
  }
  async function ended(endpoint: string, args: Record<string, string> = {}): Promise<string> {
    const id = await start(endpoint, args);
    expect(await (await world.manage(`/executions/${id}/stream`)).text()).toContain('"exit_code"');
    return id;
  }
  const looking = (options: Parameters<typeof viewer>[1] = {}) =>
    viewer(world, { time: 'goes on', ...options });

  test('shows a hundred thousand lines, of which only those in sight are made, and scrolls through them without a stall', async () => {
    const id = await ended('count');
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByText('End of output').waitFor();
    await expectSoon(() => lastLine(page), 'line 100000');
    await using stalls = await watchStalls(page);
    const places = await page.evaluate(async () => {
      const view = document.querySelector('.output') as HTMLElement;
      const seen: number[] = [];
      for (let step = 0; step < 40; step += 1) {
        view.scrollTop = (view.scrollHeight / 40) * step;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        seen.push(document.querySelectorAll('.output-line').length);
      }
      return seen;
    });
    expect(Math.max(...places)).toBeLessThan(150);
    expect(await stalls.longestMs()).toBeLessThan(400);
    await page.getByRole('region', { name: 'Output' }).focus();
    await page.keyboard.press('Home');
    await page.getByText('line 1', { exact: true }).waitFor();
    await ada.expectAccessible();
    await ada.shot('execution-100000-lines');
  });

  test('says how much of a long output was cut, keeps the numbers of its lines, and copies them all', async () => {
    const id = await ended('count', { to: '500000' });
    await using ada = await looking();
    const { page, context } = ada;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await ada.open(`/executions/${id}#L499990`);
    await page.getByText(/^The output was too long to keep: [\d,]+ of 500,000 lines in the middle/).waitFor();
    await page.getByText('End of output, which is cut in the middle; exit code 0.').waitFor();
    const linked = page.locator('[data-line="499990"][data-linked]');
    expect(await linked.innerText()).toContain('line 499990');
    await ada.expectAccessible();
    await ada.shot('execution-cut');
    // The linked line is at the end, so nothing else was read.
    expect(await page.evaluate(streamSizes)).toHaveLength(1);
    const output = page.getByRole('region', { name: 'Output' });
    await output.focus();
    await page.keyboard.press('Control+f');
    await page
      .getByRole('searchbox', { name: /Search the output/ })
      .and(page.locator(':focus'))
      .waitFor();
    await output.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await page.getByText(/^[\d,]+ lines copied$/).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // The first request was for the end only, and the copy for the rest.
    const [end = 0, rest = 0] = (await page.evaluate(streamSizes)).map((sizes) => sizes.decodedBodySize);
    expect(end).toBeLessThan(300_000);
    expect(rest).toBeGreaterThan(1_000_000);
    for (const sizes of await page.evaluate(streamSizes))
      expect(sizes.encodedBodySize * 4).toBeLessThan(sizes.decodedBodySize);
    expect(copied).toStartWith('line 1\nline 2\n');
    expect(copied).toEndWith('line 499999\nline 500000\n');
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('1 line copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `[count](${world.hub.hubUrl}/dashboard/executions/${id}#L499990), exit code 0:\n\n\`\`\`text\nline 499990\n\`\`\`\n`,
    );
    await page.getByRole('button', { name: 'Copy all lines' }).click();
    await page
      .getByText(/^[\d,]+ lines copied$/)
      .first()
      .waitFor();
    // The gap has a row of its own, with the numbers of the lines that are missing.
    const missing = copied.split('\n').findIndex((line) => line.startsWith('[svc: ')) + 1;
    await page.getByRole('searchbox', { name: /Search the output/ }).fill(`:${missing + 10}`);
    await page.keyboard.press('Enter');
    await page.getByText(`lines are missing here: ${missing.toLocaleString('en')} to `).waitFor();
    await ada.shot('execution-gap');
  });

  test('leads from one error to the next', async () => {
    const id = await ended('stumble');
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    // The button steps through the errors that have arrived.
    await page.getByText('End of output').waitFor();
    const next = page.getByRole('button', { name: /^(First|Next) error$/ });
    const current = (line: number) =>
      page.locator(`.output-line[data-line="${line}"][data-error=current]`).waitFor();
    await next.click();
    await current(3002);
    await ada.expectAccessible();
    await ada.shot('execution-error');
    await next.press('Enter');
    await current(6003);
    await next.press('Enter');
    await current(3002);
  });

  test('says when each line was printed: at first of lines that it saw live, and at the end of all', async () => {
    const id = await start('timed');
    const openGate = () => writeFile(join(folder, 'gate'), 'go\n');
    // In a time zone whose minutes differ from those of UTC.
    await using ada = await looking({ timezoneId: 'Asia/Kolkata' });
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    const times = page.locator('.output-time');
    await page.getByText('two', { exact: true }).waitFor();
    expect(await times.count()).toBe(0);
    await page.getByRole('button', { name: 'Time stamps' }).click();
    expect(await times.allInnerTexts()).toEqual(['', '']);
    await openGate();
    await page.getByText('three', { exact: true }).waitFor();
    await expectSoon(
      async () => (await times.allInnerTexts()).map((text) => TIME_OF_DAY.test(text)),
      [false, false, true],
    );
    expect(await times.nth(2).getAttribute('title')).toEndWith('UTC, when the line reached this browser');
    await openGate();
    await page.getByText('End of output').waitFor();
    await expectSoon(
      async () => (await times.allInnerTexts()).filter((text) => TIME_OF_DAY.test(text)).length,
      3,
    );
    const shown = await world.manage(`/executions/${id}?without=result&with=line_times`);
    const record = (await shown.json()) as { started_at: string; line_times: [number, number][] };
    expect(record.line_times.map(([event]) => event)).toEqual([1, 3]);
    const [first, third] = record.line_times.map(([, ms]) =>
      timeInKolkata(Date.parse(record.started_at) + ms),
    );
    await expectSoon(() => times.allInnerTexts(), [first, first, third] as string[]);
    expect(await times.nth(2).getAttribute('title')).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, [\d.]+ (s|min.*) after the start$/,
    );
    await ada.expectAccessible();
    await ada.shot('execution-times');
    await page.reload();
    await expectSoon(() => times.allInnerTexts(), [first, first, third] as string[]);
    await page.getByRole('button', { name: 'Time stamps' }).click();
    await expectSoon(() => times.count(), 0);
  });

  test('is searched with counts, and each line has a link', async () => {
    const id = await ended('count', { to: '20000' });
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}#L15000-L15002`);
    await page.locator('[data-line="15001"][data-linked]').waitFor();
    await page.getByRole('searchbox', { name: /Search the output/ }).fill('999');
    await page.getByText(/^\d+ of 38$/).waitFor();
    // From where one reads, not from the top.
    await page
      .locator('[data-line="14999"] mark[data-current]')
      .and(page.getByText('999', { exact: true }))
      .waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-line="15999"] mark[data-current]').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.locator('[data-line="14999"] mark[data-current]').waitFor();
    await page.getByRole('searchbox', { name: /Search the output/ }).fill(':777');
    await page.keyboard.press('Enter');
    await page.locator('[data-line="777"][data-linked]').waitFor();
    await page.waitForURL(({ hash }) => hash === '#L777');
    await page.locator('[data-number="780"]').click({ modifiers: ['Shift'] });
    await page.waitForURL(({ hash }) => hash === '#L777-L780');
    await page.reload();
    await page.locator('[data-line="780"][data-linked]').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect(await Bun.file(await (await download).path()).text()).toEndWith('\nline 20000\n');
  });

  test('is followed at ten thousand lines a second without a stall, and stops following when the person scrolls', async () => {
    const id = await start('flood', { rate: '10000', seconds: '50' });
    await using ada = await looking();
    const { page } = ada;
    await using stalls = await watchStalls(page);
    await ada.open(`/executions/${id}`);
    const output = page.getByRole('region', { name: 'Output' });
    await page.getByRole('button', { name: 'Following' }).waitFor();
    await page.waitForFunction(
      () => Number(document.querySelector('.output-line:last-child')?.getAttribute('data-line')) > 9_000,
    );
    await output.hover();
    await page.mouse.wheel(0, -500);
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    const [before, growing] = [await scrollTop(page), await linesOf(page)];
    await page.waitForFunction(
      (than) => Number(document.querySelector('.output')?.scrollHeight) > than,
      growing + 20_000,
    );
    expect(Math.abs((await scrollTop(page)) - before)).toBeLessThan(2_000);
    await page.getByRole('button', { name: 'Paused' }).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('status').getByText('cancelled').waitFor();
    const last = `ok request ${(await page.evaluate(lineCount)) - 1} was served`;
    await page.getByText(last, { exact: true }).waitFor();
    expect(await stalls.longestMs()).toBeLessThan(400);
  });

  test('stays paused when a jump to the end is reported after the person began to go up', async () => {
    const id = await start('wait');
    await using ada = await looking({ viewport: { width: 1280, height: 300 } });
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByRole('button', { name: 'Following' }).waitFor();
    await page.locator('.output-line').first().waitFor();
    // What a browser does that is late: the jump ends the smooth scrolling of the wheel.
    await page.evaluate(async () => {
      const view = document.querySelector('.output') as HTMLElement;
      const lines = view.firstElementChild?.nextElementSibling as HTMLElement;
      lines.style.height = `${view.clientHeight + 100}px`;
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      view.scrollTop = 60;
      await frame();
      view.scrollTop = 100;
      await frame();
      view.scrollTop = 60;
      view.dispatchEvent(new WheelEvent('wheel', { deltaY: -40, bubbles: true }));
      view.scrollTop = 100;
      await frame();
    });
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    await page.mouse.move(640, 200);
    await page.mouse.wheel(0, 40);
    await page.getByRole('button', { name: 'Cancel run' }).click();
  });

  test('continues where it was when the hub comes back, without a flicker', async () => {
    const id = await start('flood', { rate: '500', seconds: '50' });
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.waitForFunction(() => document.querySelectorAll('.output-line').length > 30);
    await page.evaluate(() => {
      const seen = { least: Number.POSITIVE_INFINITY };
      Object.assign(window, { seen });
      const view = document.querySelector('.output') as HTMLElement;
      new MutationObserver(() => {
        seen.least = Math.min(seen.least, view.querySelectorAll('.output-line').length);
      }).observe(view, { childList: true, subtree: true });
    });
    const before = await page.evaluate(lineCount);
    await agent.through(() => world.restart());
    await page.waitForFunction(
      (than) => Number(document.querySelector('.output-line:last-child')?.getAttribute('data-line')) > than,
      before + 500,
    );
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('status').getByText('cancelled').waitFor();
    const least = await page.evaluate(() => (window as unknown as { seen: { least: number } }).seen.least);
    expect(least).toBeGreaterThan(20);
    const stored = (await (await world.manage(`/executions/${id}/output`)).text()).split('\n');
    const last = `${(stored.length - 1).toLocaleString('en')} lines`;
    await page.getByText(last, { exact: true }).waitFor();
    await page.getByText(`ok request ${stored.length - 2} was served`, { exact: true }).waitFor();
    ada.takeComplaints();
  });

  test.each([
    ['is refused by a proxy', (route: Route) => route.fulfill({ status: 404, body: 'no such host' })],
    // A browser may choose a connection whose other end is gone without a word.
    ['is never answered', () => undefined],
  ])('is followed on when the first connection to the hub that is back %s', async (_, answer) => {
    const id = await start('flood', { rate: '100', seconds: '50' });
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.waitForFunction(() => document.querySelectorAll('.output-line').length > 30);
    const isHeld = Promise.withResolvers<void>();
    const answerFirst = async (route: Route) => {
      isHeld.resolve();
      await answer(route);
    };
    const holdFirst = async () => {
      await page.route(`**/executions/${id}/stream*`, answerFirst, { times: 1 });
    };
    await agent.through(() => world.restart(holdFirst));
    await isHeld.promise;
    const before = await page.evaluate(lineCount);
    await page.waitForFunction(
      (than) => Number(document.querySelector('.output-line:last-child')?.getAttribute('data-line')) > than,
      before,
    );
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('status').getByText('cancelled').waitFor();
    ada.takeComplaints();
  });

  test('shows hostile output as the text that it is', async () => {
    const id = await ended('hostile');
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByText('End of output').waitFor();
    const lines = async () =>
      (await page.locator('.output-text').allInnerTexts()).map((line) => line.replaceAll('\n', ''));
    await expectSoon(lines, SHOWN);
    await untilTitled(page, 'hostile, succeeded · svc');
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.locator('.output-text').nth(4).filter({ hasText: '[2J' }).waitFor();
    await ada.expectAccessible();
    await ada.shot('execution-hostile');
  });

  test('appears with the output of all others on one page, which can be paused and links to the execution', async () => {
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/executions');
    await page.getByRole('main').getByRole('link', { name: 'Live output', exact: true }).click();
    const lines = page.getByRole('region', { name: 'Output of all executions', exact: true });
    await page.getByRole('status').getByText('Live: output appears', { exact: false }).waitFor();
    const id = await ended('hostile');
    await lines.getByText('<script>document.title', { exact: false }).waitFor();
    await lines.getByText('concealed', { exact: true }).waitFor();
    expect(await lines.locator('img, script').count()).toBe(0);
    await ada.expectAccessible();
    const pause = page.getByRole('button', { name: 'Pause', exact: true });
    await pause.click();
    await ended('hostile');
    // Each of its lines is a new row.
    await page.getByText(`Paused, ${HOSTILE.length} new`, { exact: true }).waitFor();
    expect(await lines.getByRole('link').count()).toBe(HOSTILE.length);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText(`${2 * HOSTILE.length} lines`, { exact: true }).waitFor();
    await ada.shot('live-output');
    await lines.getByRole('link').first().press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(`/executions/${id}`));
  });

  test('is found by words of its output, which stand below it as text', async () => {
    const id = await ended('hostile');
    // The index is some seconds behind.
    const isFound = async () => {
      world.clock.move(15_000);
      const { items } = (await (await world.manage('/executions?output=onerror&limit=1')).json()) as {
        items: { execution_id: string }[];
      };
      return items[0]?.execution_id;
    };
    await expectSoon(isFound, id);
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/executions');
    await page.getByRole('searchbox', { name: 'Output', exact: true }).fill('onerror alert');
    await page.waitForURL(({ searchParams }) => searchParams.get('output') === 'onerror alert');
    const row = page.getByRole('list', { name: 'executions' }).getByRole('listitem').first();
    await row.getByText('<img src=x onerror=alert(1)>', { exact: false }).waitFor();
    expect(await row.locator('img').count()).toBe(0);
    await ada.expectAccessible();
    await ada.shot('executions-output');
    await page.getByRole('searchbox', { name: 'Output', exact: true }).fill('nosuchword');
    await page.getByText('No matching executions', { exact: true }).waitFor();
  });

  test('shows the file of its call and those that it left, which are downloaded', async () => {
    const body = new FormData();
    body.append('table', new Blob(['a;b\n']), '<b>.csv');
    const called = await fetch(world.urlOf('convert'), {
      method: 'POST',
      body,
      headers: { 'x-api-key': world.start.apiKey, accept: 'application/json' },
    });
    const { execution_id: id } = (await called.json()) as { execution_id: string };
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByRole('button', { name: 'Output files (2)' }).press('Enter');
    const left = page.getByRole('list', { name: 'Output files' });
    await left.getByText('missing: it is a symbolic link').waitFor();
    await page.getByRole('button', { name: 'Input files (1)' }).press('Enter');
    const came = page.getByRole('list', { name: 'Input files' });
    await came.getByText('table: <b>.csv').waitFor();
    await came.getByText('4 bytes, text/plain').waitFor();
    const download = page.waitForEvent('download');
    await left.getByRole('button', { name: 'Download report.txt' }).press('Enter');
    expect(await Bun.file(await (await download).path()).text()).toBe('a;b\n');
    const archive = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all as ZIP', exact: true }).press('Enter');
    expect((await archive).suggestedFilename()).toBe(`${id}.zip`);
    expect(await Bun.file(await (await archive).path()).text()).toContain('report.txta;b\n');
    await ada.expectAccessible();
  });

  test('previews images as pixels and texts as characters, and nothing of them runs', async () => {
    const id = await ended('pictures');
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    const title = await page.title();
    await page.getByRole('button', { name: 'Output files (7)' }).press('Enter');
    const left = page.getByRole('list', { name: 'Output files' });
    const preview = async (name: string) => {
      await left.getByRole('button', { name: `Preview ${name}` }).press('Enter');
      return left.getByLabel(`Preview of ${name}`, { exact: true });
    };
    const red = await preview('red.png');
    await red.waitFor();
    const [size, pixel] = await red.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const pixels = canvas.getContext('2d')?.getImageData(2, 1, 1, 1).data ?? [];
      return [`${canvas.width} × ${canvas.height}`, [...pixels].join(' ')];
    });
    expect([size, pixel]).toEqual(['3 × 2', '255 0 0 255']);
    await preview('huge.png');
    await left.getByText('the image has 100000 × 100000 pixels, too many for a preview').waitFor();
    await preview('fake.png');
    await left.getByText('the file is no PNG, JPEG, GIF or WebP').waitFor();
    expect(await (await preview('active.svg')).textContent()).toBe(ACTIVE);
    expect(await (await preview('page.html')).textContent()).toBe(`${HOSTILE[0]}\nrm U+202Etxt.exe`);
    expect(await (await preview('long.txt')).textContent()).toBe('é'.repeat(32_768));
    await left.getByText('These are the first 64 KiB.').waitFor();
    expect(await left.getByRole('button', { name: 'Preview app.zip' }).count()).toBe(0);
    expect(await left.locator('img, svg, iframe, object, embed, script').count()).toBe(0);
    expect(await page.title()).toBe(title);
    await ada.expectAccessible();
    await left.getByRole('button', { name: 'Preview red.png' }).press('Enter');
    await red.waitFor({ state: 'detached' });
  });

  test('fits a phone, where long lines wrap', async () => {
    const id = await ended('hostile');
    await using ada = await looking({ viewport: PHONE, theme: 'dark' });
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByText('End of output').waitFor();
    await page.waitForFunction(
      (width) => Number(document.querySelector('.output[data-wrap]')?.scrollWidth) <= width,
      PHONE.width,
    );
    await ada.expectNoSidewaysScroll();
    await ada.expectAccessible();
    await ada.shot('execution-phone');
  });

  test('has its result as a table that sorts, and as a tree', async () => {
    const id = await ended('rows');
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${id}`);
    await page.getByRole('button', { name: 'load', exact: true }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await page
      .getByRole('row')
      .nth(1)
      .filter({ hasText: /^\s*svc-73\s*1\s*(?:true|false)/ })
      .waitFor();
    await page.getByRole('button', { name: 'load', exact: true }).click();
    await page.locator('th[aria-sort=descending]').waitFor();
    // No digit is lost.
    await page.getByRole('row').nth(1).filter({ hasText: '12345678901234567890' }).waitFor();
    await ada.expectAccessible();
    await ada.shot('execution-table');
    await page.getByText('Tree', { exact: true }).click();
    await page.getByRole('tree').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { name: /svc-0/ }).waitFor();
    await ada.expectAccessible();
  });

  test('is cancelled, and run again with its values; a secret is asked for again', async () => {
    const waiting = await start('wait');
    const id = await ended('secretly', { word: 'hush', token: 'hunter2' });
    await using ada = await looking();
    const { page } = ada;
    await ada.open(`/executions/${waiting}`);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.locator('h1').getByText('Cancelled').waitFor();
    await page.getByRole('button', { name: 'Run wait again' }).click();
    await page.waitForURL(({ pathname }) => !pathname.includes(waiting));
    await page.locator('h1').getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    // A page that is left at once may not have sent its request.
    await page.locator('h1').getByText('Cancelled').waitFor();

    await ada.open(`/executions/${id}`);
    const again = page.getByRole('button', { name: 'Run secretly again' });
    await again.waitFor();
    await page.getByText('End of output').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('hunter2');
    await again.click();
    await page.locator('main form').waitFor();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'hush');
    expect(await page.locator('input[type=password]').inputValue()).toBe('');
    ada.takeComplaints();
  });

  test('is found by its value, states and time; a view keeps the filters, and many are stopped at once', async () => {
    await ended('count', { to: '7' });
    await ended('count', { to: '8' });
    await Promise.all([start('wait'), start('wait')]);
    await using ada = await looking();
    const { page } = ada;
    const rows = page.getByRole('list', { name: 'executions' }).getByRole('listitem');
    const untilRows = (count: number) =>
      page.waitForFunction((wanted) => document.querySelectorAll('[data-row]').length === wanted, count);
    const untilSearch = (name: string, value: string) =>
      page.waitForURL(({ searchParams }) => searchParams.get(name) === value);
    await ada.open('/executions');
    await page.getByRole('searchbox', { name: 'Argument' }).fill('to=7');
    await untilSearch('arg', 'to=7');
    await untilRows(1);
    await rows.first().getByText('count', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Arguments' }).click();
    await rows.first().getByText('to=7', { exact: true }).waitFor();
    await ada.expectAccessible();
    await ada.shot('executions-arguments');
    await page.getByRole('menuitemcheckbox', { name: 'Arguments' }).click();
    await rows.first().getByText('to=7', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Sevens');
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('link', { name: 'Sevens' }).waitFor();
    await ada.expectAccessible();

    await ada.open('/executions');
    await page.getByRole('group', { name: 'Time range' }).getByText('24 hours').click();
    await untilSearch('range', 'day');
    const chart = page.locator('.u-over').first();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('there is no chart');
    await page.mouse.move(box.x + box.width - 60, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 4, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(({ searchParams }) => searchParams.has('from') && searchParams.has('until'));
    await rows.first().waitFor();
    await ada.expectAccessible();
    await ada.shot('executions-picked');
    await page.getByRole('button', { name: /clear this time/ }).click();
    await page.waitForURL(({ searchParams }) => !searchParams.has('from'));

    await page.getByRole('group', { name: 'State' }).getByText('Running').click();
    await untilRows(2);
    await page.getByRole('group', { name: 'State' }).getByText('Waiting').click();
    await untilSearch('status', 'pending_approval,queued,running');
    await untilRows(2);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Caller' }).click();
    await rows.first().getByText('operator@localhost').waitFor();
    await page.keyboard.press('Escape');
    // The menu takes the keys until it has returned the focus.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Columns' }).and(page.locator(':focus')).waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await ada.expectAccessible();
    await ada.shot('executions-selected');
    await page.getByRole('button', { name: 'Cancel 2…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 2 executions' }).click();
    await page.getByText('2 executions cancelled').waitFor();
    await page.getByText('No matching executions').waitFor();

    await page.getByRole('link', { name: 'Sevens' }).click();
    await untilSearch('arg', 'to=7');
    await untilRows(1);
  });

  test('is run again, and approved, together with others', async () => {
    await Promise.all([ended('again'), ended('again'), start('guarded'), start('guarded')]);
    await using ada = await looking();
    const { page } = ada;
    const dialog = page.getByRole('dialog');
    const statesOf = async (endpoint: string) => {
      const list = (await (await world.manage(`/executions?endpoint=${endpoint}`)).json()) as {
        items: { status: string }[];
      };
      return list.items.map(({ status }) => status);
    };
    const selectTwo = async (endpoint: string) => {
      await ada.open(`/executions?endpoint=${endpoint}`);
      const boxes = page.getByRole('checkbox', { name: `Select ${endpoint}`, exact: true });
      for (const n of [0, 1]) {
        await boxes.nth(n).click();
        await boxes.nth(n).and(page.locator('[aria-checked=true]')).waitFor();
      }
    };

    await selectTwo('guarded');
    await page.getByRole('button', { name: 'Review 2…' }).click();
    await dialog.getByRole('article', { name: 'guarded' }).nth(1).getByText('echo guarded').waitFor();
    await ada.expectAccessible();
    await ada.shot('executions-decide');
    await dialog.getByLabel('Comment (optional)').fill('release day');
    await dialog.getByRole('button', { name: 'Approve and run 2 calls' }).click();
    await expectSoon(() => statesOf('guarded'), ['succeeded', 'succeeded']);
    const decided = (await (await world.manage('/approvals?status=decided')).json()) as {
      items: { comment: string | null }[];
    };
    expect(decided.items.map(({ comment }) => comment)).toEqual(['release day', 'release day']);

    await selectTwo('again');
    await page.getByRole('button', { name: 'Run 2 again…' }).click();
    await dialog.getByText('again × 2').waitFor();
    await dialog.getByRole('button', { name: 'Run 2 executions' }).click();
    await expectSoon(() => statesOf('again'), ['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  });

  test('stands in lists of many thousands, by state and endpoint, that grow by themselves', async () => {
    await ended('count', { to: '1' });
    const stopped = await start('wait');
    await world.manage(`/executions/${stopped}/cancel`, { method: 'POST' });
    await (await world.manage(`/executions/${stopped}/stream`)).text();
    await agent.through(() => manyExecutions(world, MANY));
    await using ada = await looking();
    const { page } = ada;
    await ada.open('/executions');
    const rows = page.getByRole('list', { name: 'executions' }).getByRole('listitem');
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await using stalls = await watchStalls(page);
    for (let page_ = 0; page_ < 4; page_ += 1) {
      const before = await rows.last().getAttribute('aria-setsize');
      await page.waitForFunction((size) => {
        window.scrollTo(0, document.documentElement.scrollHeight);
        const row = document.querySelector('[data-row]');
        return row !== null && row.getAttribute('aria-setsize') !== size;
      }, before);
    }
    expect(await rows.count()).toBeLessThan(60);
    expect(await stalls.longestMs()).toBeLessThan(400);
    await ada.expectAccessible();
    await page.evaluate(() => window.scrollTo(0, 0));
    await ended('count', { to: '1' });
    await rows.first().getByText('count', { exact: true }).waitFor();
    await ada.shot('executions');
    await page.getByRole('group', { name: 'State' }).getByText('Cancelled').click();
    await rows.first().getByText('wait', { exact: true }).waitFor();
    await page.waitForURL(({ searchParams }) => searchParams.get('status') === 'cancelled');
    await page.getByRole('searchbox', { name: 'Endpoint' }).fill('nothing');
    await page.getByText('No matching executions').waitFor();
  });

  test('is seen, stopped and taken along by a member, who may run, too', async () => {
    await memberOf(world, 'member@example.com', 'member');
    const id = await start('wait');
    await using mia = await looking({ email: 'member@example.com', workspace: world.start.username });
    await mia.open(`/executions/${id}`);
    await mia.page.getByRole('button', { name: 'Cancel run' }).click();
    await mia.page.locator('h1').getByText('Cancelled').waitFor();
    const download = mia.page.waitForEvent('download');
    await mia.page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(`wait-${id}.txt`);
    expect(await (await download).failure()).toBeNull();
  });
});

type Sizes = Pick<PerformanceResourceTiming, 'encodedBodySize' | 'decodedBodySize'>;

/** The responses with output that the page read to their end, in bytes as transferred and as text. */
function streamSizes(): Sizes[] {
  const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  return loaded
    .filter(({ name }) => /\/executions\/[^/]+\/stream/.test(name))
    .map(({ encodedBodySize, decodedBodySize }) => ({ encodedBodySize, decodedBodySize }));
}

function lastLine(page: Page): Promise<string> {
  return page.locator('.output-line .output-text').last().innerText();
}

/** How many lines there are, as the view says. */
function lineCount(): number {
  return Number(document.querySelector('.output-line:last-child')?.getAttribute('data-line'));
}

function scrollTop(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('.output')?.scrollTop ?? 0);
}

function linesOf(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('.output')?.scrollHeight ?? 0);
}

/** Copies of an execution that ran, of the same moment, put beside it while the hub is down. */
async function manyExecutions(world: HubWorld, count: number): Promise<void> {
  await world.restart(async () => {
    const database = openHubFile(world.dataDir);
    const columns = database
      .query<{ name: string }, []>("select name from pragma_table_info('executions')")
      .all();
    const names = columns.map(({ name }) => name).filter((name) => name !== 'id');
    database.run(`
      with recursive many(n) as (select 1 union all select n + 1 from many where n < ${count})
      insert into executions (id, ${names.join(', ')})
      select substr(id, 1, 13) || printf('-7000-8000-%012x', n), ${names.join(', ')}
      from many, (select * from executions where slug = 'count' and state = 'succeeded' limit 1)`);
    database.close();
    await Promise.resolve();
  });
}
