import { expect, test } from 'bun:test';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { Refusal } from '@svc/core/refusal';
import type { Store } from '../../build/create-store.ts';
import { failureOf } from '../../platform/db/fixtures/failure-of.ts';
import { newExecution, newId, succeeded } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionFilter, NewExecution } from '../execution-ports.ts';
import { RESULT_PIECE } from '../stored-output.ts';
import { timeOfId } from './first-id.ts';

/** Later than the creation of each execution here, and the lag of the index. */
const LATER_MS = 60_000;
const later = () => Date.now() + LATER_MS;

function chunk(executionId: string, seq: number, text: string, endings?: string) {
  const encoder = new OutputEncoder();
  const bytes = new TextEncoder().encode(text);
  const sse = encoder.push(bytes)?.sse ?? encoder.end()?.sse ?? new Uint8Array();
  return { executionId, seq, sse, endings };
}

/** An execution that printed this, in one piece each, and ended. */
async function printed(
  { executions }: Store,
  facts: Partial<NewExecution>,
  ...texts: string[]
): Promise<string> {
  const execution = newExecution(facts);
  await executions.accept(execution);
  const chunks = texts.map((text, at) => chunk(execution.id, at + 1, text));
  await executions.finish(succeeded(execution.id), chunks);
  return execution.id;
}

async function indexed({ outputIndex }: Store, nowMs = later()): Promise<void> {
  while (await outputIndex.step(nowMs));
}

/** The first step places the mark at the present. */
async function empty(store: Store): Promise<void> {
  await store.outputIndex.step(Date.now() - LATER_MS);
}

const searcher =
  ({ outputSearch }: Store, workspaceId: string) =>
  async (query: string, filter: Partial<ExecutionFilter> = {}) =>
    (await outputSearch.page({ workspaceId, limit: 20, ...filter }, query)).items.map(({ id }) => id);

onBothDatabases(({ open, newLocation }) => {
  test('indexes no more of one long event than of any output', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const execution = newExecution({ workspaceId });
    await store.executions.accept(execution);
    const words = (name: string) => Array.from({ length: 20_000 }, (_, n) => `${name}${n}`).join(' ');
    const data = `${words('first')} ${words('last')}`;
    const sse = new TextEncoder().encode(`data: ${JSON.stringify({ type: 'output', data })}\n\n`);
    await store.executions.finish(succeeded(execution.id), [
      { executionId: execution.id, seq: 1, sse, endings: undefined },
    ]);
    await indexed(store);
    const search = searcher(store, workspaceId);
    expect(await search('first0 last19999')).toEqual([execution.id]);
    expect(await search('first19999')).toEqual([]);
    expect(await search('last0')).toEqual([]);
  });

  test('finds executions by words of their output, newest first, in their workspace and under the other filters', async () => {
    await using store = await open();
    await empty(store);
    const [mine, theirs] = [newId(), newId()];
    const first = await printed(store, { workspaceId: mine, slug: 'deploy' }, 'Connection refused\n');
    const second = await printed(store, { workspaceId: mine, slug: 'build' }, 'refused: "Größe" 東京\n');
    const other = await printed(store, { workspaceId: theirs }, 'Connection refused\n');
    // Its output names the word of the other workspace.
    await printed(store, { workspaceId: theirs }, `refused :${mine.replaceAll('-', '')}\n`);
    await indexed(store);
    const search = searcher(store, mine);
    expect(await search('refused')).toEqual([second, first]);
    expect(await search('REFUSED connection')).toEqual([first]);
    expect(await search('größe 東京')).toEqual([second]);
    expect(await search('refused', { slug: 'deploy' })).toEqual([first]);
    expect(await search('refused', { states: ['failed'] })).toEqual([]);
    expect(await search('refused', { untilMs: timeOfId(first) })).toEqual([]);
    expect(await search('refus')).toEqual([]);
    expect(await searcher(store, theirs)('connection')).toEqual([other]);
    expect(await store.check('full')).toEqual([]);
    expect(await store.outputIndex.progress()).toEqual({
      missingBeforeMs: undefined,
      missingFromMs: undefined,
    });
  });

  test('reads no word of a query as an operator of the database', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const id = await printed(store, { workspaceId }, `a "b" 'c' NOT d OR e* :f NEAR(g)\n`);
    await indexed(store);
    const search = searcher(store, workspaceId);
    for (const query of [
      '"b"',
      "'c'",
      'not d',
      'e*',
      ':f',
      'NEAR(g)',
      `a" OR "b`,
      "a' | 'b",
      '{a b}',
      'a & !e',
    ])
      expect([query, await search(query)]).toEqual([query, [id]]);
    expect(await search('a AND nothing')).toEqual([]);
    for (const query of ['', '!', 'a b c d e f g h i j k'])
      expect(await failureOf(store.outputSearch.page({ workspaceId, limit: 5 }, query))).toBeInstanceOf(
        Refusal,
      );
  });

  test('goes through pages, also of executions of the same millisecond', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const all: string[] = [];
    for (let n = 0; n < 12; n += 1) all.push(await printed(store, { workspaceId }, 'same words\n'));
    await indexed(store);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.outputSearch.page(
        { workspaceId, limit: 5, ...(cursor !== undefined && { cursor }) },
        'words',
      );
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(all.toSorted());
    expect(found).toHaveLength(all.length);
  });

  test('indexes the beginning and the end of a long output, and no result of a transform', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const filler = 'filler\n'.repeat(5_000);
    const texts = [`begins\n${filler}`, filler, `middle\n`, filler, filler, `${filler}ends\n`];
    const id = await printed(store, { workspaceId }, ...texts);
    const execution = newExecution({ workspaceId });
    await store.executions.accept(execution);
    await store.executions.append([chunk(execution.id, 1, 'transformed\n', RESULT_PIECE)]);
    await store.executions.finish(succeeded(execution.id), []);
    await indexed(store);
    const search = searcher(store, workspaceId);
    expect(await search('begins ends')).toEqual([id]);
    expect(await search('middle')).toEqual([]);
    expect(await search('transformed')).toEqual([]);
  });

  test('indexes an execution after its end, whenever that is, and says what is missing until then', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const long = newExecution({ workspaceId });
    await store.executions.accept(long);
    await store.executions.append([chunk(long.id, 1, 'needle\n')]);
    expect((await store.outputIndex.progress()).missingFromMs).toBe(timeOfId(long.id));
    const short = await printed(store, { workspaceId }, 'needle\n');
    await indexed(store);
    const search = searcher(store, workspaceId);
    expect(await search('needle')).toEqual([short]);
    await store.executions.finish(succeeded(long.id), []);
    await indexed(store);
    expect(await search('needle')).toEqual([short, long.id]);
  });

  test('indexes what ended before the index existed, and goes on where another process stopped', async () => {
    const location = await newLocation();
    const workspaceId = newId();
    const ids: string[] = [];
    {
      await using store = await open(location);
      for (let n = 0; n < 25; n += 1) ids.push(await printed(store, { workspaceId }, 'old words\n'));
      await store.outputIndex.step(later());
      await store.outputIndex.step(later());
      expect((await store.outputIndex.progress()).missingBeforeMs).toBeGreaterThan(0);
    }
    await using store = await open(location);
    // Two hubs at once: the mark of each step moves once.
    await Promise.all([indexed(store), indexed(store)]);
    expect((await searcher(store, workspaceId)('words', { limit: 100 })).toSorted()).toEqual(ids.toSorted());
    expect((await store.outputIndex.progress()).missingBeforeMs).toBeUndefined();
  });

  test('forgets an execution with its record', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const id = await printed(store, { workspaceId }, 'needle\n');
    await indexed(store);
    const search = searcher(store, workspaceId);
    expect(await search('needle')).toEqual([id]);
    expect(await store.sweep(Date.now() + 400 * 86_400_000)).toBeGreaterThan(0);
    expect(await search('needle')).toEqual([]);
  });

  test('stops at its bound, and continues behind it', async () => {
    await using store = await open();
    await empty(store);
    const workspaceId = newId();
    const wanted = await printed(store, { workspaceId, slug: 'rare' }, 'needle\n');
    for (let n = 0; n < 1_050; n += 50)
      await Promise.all(
        Array.from({ length: 50 }, () => printed(store, { workspaceId, slug: 'often' }, 'needle\n')),
      );
    await indexed(store);
    const found: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const page = await store.outputSearch.page(
        { workspaceId, slug: 'rare', limit: 5, ...(cursor !== undefined && { cursor }) },
        'needle',
      );
      if (page.nextCursor !== undefined) expect(page.isPartial).toBe(true);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(found).toEqual([wanted]);
    expect(pages).toBeGreaterThan(1);
  });
});
