// A pipeline that is drawn, checked, saved, run and viewed in a real browser, with a real hub and agent.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import type { HubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import {
  closeBrowserAtEnd,
  DESKTOP,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  memberOf,
  PHONE,
  viewer,
} from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('a pipeline in the dashboard', () => {
  let world: HubWorld;
  let agent: RealAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await realAgent(world, [
      { name: 'build', command: 'echo built {{branch}}', args: [{ name: 'branch', required: true }] },
      { name: 'deploy', command: 'echo deployed' },
      { name: 'broken', command: 'sh -c "echo broke; exit 3"' },
      { name: 'guarded', command: 'echo released', approval_required: true },
      {
        name: 'ship',
        command: 'echo {{zone}} {{note}}',
        args: [{ name: 'zone', choices: ['eu', 'us'] }, { name: 'note' }],
      },
    ]);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test('is drawn with its mistakes shown at once, saved, run and followed on the same graph', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/pipelines');
    await ada.expectAccessible();
    await page.getByRole('link', { name: 'Create pipeline' }).click();
    await page.getByLabel('Name').fill('release');
    await page.getByRole('button', { name: 'Add step after trigger' }).click();
    await page.getByLabel('Endpoint').fill('biuld');
    await page.getByText('did you mean "build"').first().waitFor();
    await ada.shot('pipeline-drawn-wrong');
    await page.getByLabel('Endpoint').fill('build');
    await page.getByLabel('branch (required)').fill('main');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Expression').fill('{steps.build.exit_code} = 0');
    await page.getByText('"==" expected').first().waitFor();
    await page.getByLabel('Expression').fill('{steps.build.exit_code} == 0');
    await page.getByRole('button', { name: 'Add step after condition' }).click();
    await page.getByLabel('Endpoint').fill('deploy');
    await page
      .getByRole('button', { name: 'Create pipeline' })
      .and(page.locator(':not([aria-disabled="true"])'))
      .click();
    await page.getByRole('button', { name: 'Run release' }).waitFor();
    await ada.expectAccessible();
    await ada.shot('pipeline-graph');
    await page.getByRole('button', { name: 'Run release' }).click();
    await page.getByText('Succeeded').first().waitFor();
    await page.getByText('deployed', { exact: true }).waitFor();
    await page.locator('[data-canvas]').getByText('build', { exact: true }).first().click();
    await page.getByText('built main', { exact: true }).waitFor();
    // Text that is cut off counts as visible: what it stands in has to have room for lines.
    await page.waitForFunction(() => Number(document.querySelector('.output')?.clientHeight) > 150);
    await ada.expectAccessible();
    await ada.shot('pipeline-run');
  });

  test('has versions that show the lines that changed, and an earlier one is restored', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    const nodes = [{ id: 'one', endpoint: 'deploy' }];
    await made(world, { slug: 'versioned', description: 'The first.', tags: ['nightly'], nodes });
    const changed = await world.manage('/pipelines/versioned', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'The second.', tags: null, version: 1 }),
    });
    expect(changed.status).toBe(200);
    await ada.open('/pipelines/versioned?tab=versions');
    await page.getByRole('button', { name: /^Version 2/ }).click();
    await page.getByText('was description: The first.').waitFor();
    await page.getByText('is description: The second.').waitFor();
    await ada.expectAccessible();
    await ada.shot('pipeline-versions');
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('versioned saved as version 3').waitFor();
    await page.getByRole('button', { name: /^Version 3/ }).waitFor();
    const now = (await (await world.manage('/pipelines/versioned')).json()) as Record<string, unknown>;
    expect(now).toMatchObject({ version: 3, description: 'The first.', tags: ['nightly'] });
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByText('versioned saved as version 4').waitFor();
    const last = (await (await world.manage('/pipelines/versioned')).json()) as Record<string, unknown>;
    expect(last).toMatchObject({ version: 4, description: 'The second.', tags: null });
  });

  test('has steps that are picked: endpoint, choices, results of the steps before, and agent', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await ada.open('/pipelines/new');
    const panel = page.getByRole('region', { name: 'Step', exact: true });
    const pick = async (field: string, option: string) => {
      await panel.getByRole('combobox', { name: field, exact: true }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
      await expectSoon(() => panel.getByLabel(field, { exact: true }).inputValue(), option);
    };
    await page.getByRole('button', { name: 'Add step after trigger' }).click();
    await pick('Endpoint', 'build');
    await panel.getByLabel('branch (required)').fill('main');
    await page.getByRole('button', { name: 'Add step after build', exact: true }).click();
    await expectSoon(() => panel.getByLabel('Name', { exact: true }).inputValue(), 'step');
    await pick('Endpoint', 'ship');
    await pick('zone', 'us');
    // A press on a picked value offers the others.
    await pick('zone', 'eu');
    await panel.getByRole('combobox', { name: 'note', exact: true }).fill('built {ste');
    await page.getByRole('option', { name: 'built {steps.build.exit_code}', exact: true }).waitFor();
    await page.getByRole('option', { name: 'built {steps.build.output}', exact: true }).click();
    await pick('Agent', 'default');
    await ada.expectAccessible();
    await page.getByText('YAML', { exact: true }).click();
    const written = page.getByLabel('Pipeline YAML');
    for (const line of ['zone: eu', 'built {steps.build.output}', 'agent_name: default'])
      await written.getByText(line).first().waitFor();
  });

  test('is text and graph at once: what is written is drawn, what is wrong stands at its line', async () => {
    await using ada = await viewer(world, { theme: 'dark' });
    const { page } = ada;
    await made(world, { slug: 'written', nodes: [{ id: 'one', endpoint: 'deploy' }] });
    await ada.open('/pipelines/written');
    await page.getByText('YAML', { exact: true }).click();
    await page.getByLabel('Pipeline YAML').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('colour: red\n');
    await page.getByText(/^Line \d+: .*colour/).waitFor();
    await ada.expectAccessible();
    await ada.shot('pipeline-yaml');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(
      'slug: written\nnodes: [{id: one, endpoint: deploy}, {id: two, endpoint: deploy, needs: [one]}]',
    );
    await page.getByRole('group', { name: 'View' }).getByText('Graph', { exact: true }).click();
    await page.locator('[data-canvas]').getByText('two', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save written' }).click();
    await page.getByText('written saved as version 2').waitFor();
  });

  test('keeps each character in its YAML, however soon the next one is typed', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    await made(world, { slug: 'typed', nodes: [{ id: 'one', endpoint: 'deploy' }] });
    await ada.open('/pipelines/typed');
    await page.getByText('YAML', { exact: true }).click();
    const editor = page.getByLabel('Pipeline YAML');
    await editor.click();
    await page.keyboard.press('Control+End');
    const comment = `# ${'typed '.repeat(20)}`;
    await editor.evaluate(typeTaskByTask, comment);
    await editor.filter({ hasText: comment.trim() }).waitFor();
  });

  test('that fails shows the place, and is continued from there', async () => {
    await using ada = await viewer(world);
    const { page } = ada;
    const nodes = [
      { id: 'good', endpoint: 'deploy' },
      { id: 'bad', endpoint: 'broken', needs: ['good'] },
      { id: 'never', endpoint: 'deploy', needs: ['bad'] },
    ];
    await made(world, { slug: 'failing', nodes });
    await ada.open('/pipelines/failing');
    await page.getByRole('button', { name: 'Run failing' }).click();
    await page.getByText('failed at').first().waitFor();
    await page.getByText('broke', { exact: true }).waitFor();
    await ada.shot('pipeline-failed');
    const first = page.url();
    await page.getByRole('button', { name: 'Rerun failed steps' }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole('link', { name: 'previous run' }).waitFor();
    await page.getByText('failed at').first().waitFor();
    await page.locator('[data-canvas]').getByText('good', { exact: true }).click();
    await page.getByText('The result is reused from the previous run').waitFor();
    const second = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Rerun from here' }).click();
    // The address changes before the page does.
    await page.locator(`a[href="${second}"]`).filter({ hasText: 'previous run' }).waitFor();
    await page.getByText('failed at').first().waitFor();
    await steps(page).getByRole('button', { name: 'good' }).click();
    await page.getByText('deployed', { exact: true }).waitFor();
    expect(await page.getByText('The result is reused from the previous run').count()).toBe(0);
  });

  test('run is read along its time: each step with its attempts, its command, its output and its approval', async () => {
    await using ada = await viewer(world, { time: 'goes on' });
    const { page } = ada;
    await made(world, {
      slug: 'timed',
      trigger: { type: 'webhook', input_schema: [{ name: 'branch', type: 'string', required: true }] },
      nodes: [
        { id: 'compile', endpoint: 'build', args: { branch: '{input.branch}' } },
        {
          id: 'shaky',
          endpoint: 'broken',
          needs: ['compile'],
          retry: { limit: 1, backoff: 0 },
          on_failure: 'continue',
        },
        { id: 'release', endpoint: 'guarded', needs: ['compile'] },
      ],
    });
    await ada.open('/pipelines/timed');
    await page.getByRole('button', { name: 'Run timed' }).click();
    await page.getByLabel('branch (required)').fill('main');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Run|Start)/ })
      .click();
    await page.getByRole('article', { name: 'guarded waits for approval' }).waitFor();
    await steps(page)
      .getByRole('button', { name: /shaky.*2 attempts/ })
      .waitFor();
    await ada.expectAccessible();
    await ada.shot('run-waits');
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and run' }).click();
    await page.getByText('released', { exact: true }).waitFor();
    await page.getByText('1 step failed').waitFor();
    await steps(page).getByRole('button', { name: 'Input' }).press('Enter');
    await page.getByText('"branch": "main"').waitFor();
    // The keyboard goes from step to step.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('built main', { exact: true }).waitFor();
    await page.getByText('echo built').waitFor();
    await ada.expectAccessible();
    await ada.shot('run-timeline');
    await steps(page).getByRole('button', { name: 'shaky' }).click();
    await page.getByText('Attempt 1', { exact: true }).click();
    await page.getByText('broke', { exact: true }).waitFor();
    await page.setViewportSize(PHONE);
    await ada.expectNoSidewaysScroll();
    await ada.expectAccessible();
    await ada.shot('run-phone');
  });

  test('shows names and values that try to be markup or to deceive as text, on a phone, too', async () => {
    await using ada = await viewer(world, { viewport: PHONE, theme: 'dark' });
    const { page } = ada;
    const hostile = '<img src=x onerror=alert(1)>\u202Egnp.exe';
    const nodes = [{ id: 'one', endpoint: 'build', args: { branch: hostile } }];
    await made(world, { slug: 'hostile', description: hostile, nodes });
    for (const path of ['/pipelines', '/pipelines/hostile']) {
      await ada.open(path);
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      await page.getByText('U+202E').first().waitFor();
      await ada.expectNoSidewaysScroll();
      await ada.expectAccessible();
    }
    await ada.shot('pipeline-phone');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  test('can be viewed and run, but not changed, by a member, who reads why', async () => {
    await memberOf(world, 'lin@example.com', 'member');
    await using lin = await viewer(world, { email: 'lin@example.com', workspace: world.start.username });
    await made(world, { slug: 'seen', nodes: [{ id: 'one', endpoint: 'deploy' }] });
    await lin.open('/pipelines/seen');
    await lin.page.getByText('Your role is member').locator('visible=true').first().waitFor();
    const isEnabled = (name: string) => lin.page.getByRole('button', { name, exact: true }).isEnabled();
    await expectSoon(() => isEnabled('Run seen'), true);
    await expectSoon(() => isEnabled('Delete pipeline'), false);
  });

  test.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ] as const)(
    'can be read at first sight on %s, from its start, downwards where there is no room',
    async (device, viewport) => {
      await using ada = await viewer(world, { viewport });
      const { page } = ada;
      const slug = `long-${viewport.width}`;
      const nodes = Array.from({ length: 7 }, (_, index) => ({
        id: `n${index}`,
        endpoint: 'deploy',
        ...(index > 0 && { needs: [`n${index - 1}`] }),
      }));
      await made(world, { slug, nodes });
      await ada.open(`/pipelines/${slug}`);
      const card = (id: string) => page.locator(`[data-canvas] [data-id="${id}"]`);
      await card('n0').waitFor();
      // The first view follows the first measure of the canvas.
      await expectSoon(() => page.evaluate(firstView), {
        isReadable: true,
        isFromStart: true,
        goes: device === 'a phone' ? 'down' : 'right',
      });
      await ada.expectNoSidewaysScroll();
      await ada.shot(`pipeline-long-${viewport.width}`);
    },
  );

  test('of a thousand nodes is drawn, too', async () => {
    await using ada = await viewer(world);
    const nodes = Array.from({ length: 1_000 }, (_, index) => ({
      id: `n${index}`,
      endpoint: 'deploy',
      ...(index > 9 && { needs: [`n${index - 10}`] }),
    }));
    await made(world, { slug: 'huge', nodes });
    await ada.open('/pipelines/huge');
    await ada.page.locator('[data-canvas] .react-flow__node').first().waitFor();
    await ada.shot('pipeline-huge');
  });
});

function steps(page: Page): Locator {
  return page.getByRole('region', { name: 'Steps' });
}

async function made(world: HubWorld, definition: object): Promise<void> {
  const response = await world.manage('/pipelines', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  });
  expect(await response.text()).toContain('"slug"');
}

/** Runs in the page: what a person sees of a graph first. Undefined: it is not drawn or not placed yet. */
function firstView() {
  const viewport = document.querySelector('[data-canvas] .react-flow__viewport');
  const [canvas, trigger, first] = ['', ' [data-id="trigger"]', ' [data-id="n0"]'].map((card) =>
    document.querySelector(`[data-canvas]${card}`)?.getBoundingClientRect(),
  );
  if (!viewport || !canvas || !trigger || !first) return undefined;
  const { a: zoom, e: moved } = new DOMMatrix(getComputedStyle(viewport).transform);
  if (moved === 0) return undefined;
  return {
    isReadable: zoom >= 0.85,
    isFromStart: trigger.x >= canvas.x && trigger.y >= canvas.y,
    goes: first.y > trigger.bottom ? 'down' : first.x > trigger.right ? 'right' : 'elsewhere',
  };
}

/** Runs in the page: a character in each task, so that some come between a render and its effects. */
async function typeTaskByTask(_: unknown, text: string): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  for (const character of text) {
    document.execCommand('insertText', false, character);
    await new Promise((next) => {
      port1.onmessage = next;
      port2.postMessage(undefined);
    });
  }
}
