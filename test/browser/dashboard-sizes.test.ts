// How many bytes of scripts a page loads before it can be used, in a real browser.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import {
  closeBrowserAtEnd,
  dashboardWorld,
  describeInBrowser,
  expectSoon,
  PHONE,
  type Viewer,
  type ViewerOptions,
  viewer,
} from './dashboard.ts';

const ENDPOINTS = [
  {
    name: 'plain',
    command: 'echo {{word}} {{count}}',
    args: [
      { name: 'word', required: true },
      { name: 'count', type: 'integer' },
    ],
  },
  { name: 'patterned', command: 'echo {{word}}', args: [{ name: 'word', pattern: '[a-z]+' }] },
];
const MAX_ENDPOINT_BYTES = 200 * 1024;
const MAX_PIPELINE_BYTES = 260 * 1024;
/** Far less than the engine of patterns, far more than what else two endpoints may differ by. */
const PART_OF_ENGINE_BYTES = 20 * 1024;
/** The graph has 68 KB. */
const PART_OF_GRAPH_BYTES = 50 * 1024;

closeBrowserAtEnd();

describeInBrowser('the scripts', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    world = await dashboardWorld();
    agent = await world.agent({ endpoints: ENDPOINTS });
    const created = await world.manage('/pipelines', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        slug: 'release',
        nodes: [{ id: 'one', endpoint: 'plain', args: { word: 'x' } }],
      }),
    });
    expect(created.status).toBe(201);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  test('of an endpoint are 200 KB at most, and only a pattern loads the engine of patterns', async () => {
    await using plain = await neverIdle(world);
    await plain.open('/endpoints/plain');
    await plain.page.getByRole('button', { name: 'Run plain' }).waitFor();
    const bytes = await scriptBytes(plain);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(MAX_ENDPOINT_BYTES);
    await plain.page.getByLabel(/^word/).fill('HELLO');
    expect(await scriptBytes(plain)).toBe(bytes);

    await using patterned = await neverIdle(world);
    await patterned.open('/endpoints/patterned');
    await patterned.page.getByLabel(/^word/).fill('HELLO');
    await patterned.page.getByText('Must match [a-z]+').waitFor();
    expect(await scriptBytes(patterned)).toBeGreaterThan(bytes + PART_OF_ENGINE_BYTES);
  });

  test('of the graph of a run come on a phone when a person gets to it', async () => {
    const started = await world.manage('/pipeline-runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pipeline: 'release' }),
    });
    const { run_id: id } = (await started.json()) as { run_id: string };
    await agent.answer('done\n');
    await using ada = await neverIdle(world, { viewport: PHONE });
    await ada.open(`/pipeline-runs/${id}`);
    await ada.page.getByText('End of output').waitFor();
    expect(await ada.page.locator('[data-canvas]').count()).toBe(0);
    const before = await scriptBytes(ada);
    await ada.page.locator('[data-graph]').scrollIntoViewIfNeeded();
    await ada.page.locator('[data-canvas] .react-flow__node').first().waitFor();
    await expectSoon(async () => (await scriptBytes(ada)) > before + PART_OF_GRAPH_BYTES, true);
  });

  test.each(['/pipelines/release', '/pipelines/new'])(
    'of a pipeline are 260 KB at most: %s',
    async (path) => {
      await using ada = await neverIdle(world);
      await ada.open(path);
      await ada.page.locator('[data-canvas] .react-flow__node').first().waitFor();
      await ada.page.getByRole('button', { name: 'Add condition' }).waitFor();
      const bytes = await scriptBytes(ada);
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(MAX_PIPELINE_BYTES);
    },
  );
});

/** A viewer whose page is never idle, so that it loads nothing in advance. */
async function neverIdle(world: HubWorld, options: ViewerOptions = {}): Promise<Viewer> {
  // A clock that stands still takes the list of what was loaded along.
  const opened = await viewer(world, { time: 'goes on', ...options });
  await opened.page.addInitScript(() => {
    globalThis.requestIdleCallback = () => 0;
  });
  return opened;
}

/** As transferred: the hub serves them compressed. */
function scriptBytes({ page }: Viewer): Promise<number> {
  return page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
}
