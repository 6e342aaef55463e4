// Every filter of GET /executions against the same filter over an array, on random rows.
import { expect, test } from 'bun:test';
import { EXECUTION_STATES, type ExecutionState } from '@svc/core/execution/state';
import fc from 'fast-check';
import type { StoreLocation } from '../../build/create-store.ts';
import type { Database } from '../../platform/db/database.ts';
import { recordedQueries, runText } from '../../platform/db/fixtures/query-plans.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionFilter } from '../execution-ports.ts';
import { firstIdOf } from './first-id.ts';
import { Listing } from './listing.ts';

const ROWS = 600;
const BOUND = { rows: 40, ms: 60_000 };
const FIRST_MS = 1_790_000_000_000;
const STEP_MS = 1_000;

const SLUGS = ['deploy', 'logs', 'never'];
const CALLERS = ['k1', 'k2'];
const TRIGGERS = ['call', 'schedule'] as const;
const AGENTS = ['default', 'other'];
/** Values that are alike, or that equal a part of the record. */
const BRANCHES = ['main', 'Main', 'main"', '"branch":"main"', ',"branch":"main"', 'üñí\n', '', null];
const STATES = [
  'succeeded',
  'succeeded',
  'succeeded',
  'failed',
  'lost',
  'running',
  'queued',
  'pending_approval',
] as const;

interface Row {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;
  readonly callerId: string;
  readonly trigger: (typeof TRIGGERS)[number];
  readonly agentName: string;
  readonly branch: string | null;
  readonly state: ExecutionState;
  readonly atMs: number;
}

/** The same rows in every run: a linear congruential generator in place of chance. */
function rowsOf(): Row[] {
  let seed = 7;
  const pick = <T>(values: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return values[Math.floor((seed / 2_147_483_648) * values.length)] as T;
  };
  return Array.from({ length: ROWS }, (_, at) => ({
    id: firstIdOf(FIRST_MS + at * STEP_MS),
    workspaceId: pick(['w1', 'w1', 'w2']),
    slug: pick(SLUGS.slice(0, 2)),
    callerId: pick(CALLERS),
    trigger: pick(TRIGGERS),
    agentName: pick(AGENTS),
    branch: pick(BRANCHES),
    state: pick(STATES),
    atMs: FIRST_MS + at * STEP_MS,
  }));
}

const ROWS_STORED = rowsOf();

function insertion(rows: readonly Row[]): string {
  const values = rows.map(({ id, workspaceId, slug, callerId, trigger, agentName, branch, state, atMs }) => {
    const args = JSON.stringify({ first: 'x', branch });
    return `('${[id, workspaceId, 'e', slug, 'd', state, trigger, 'api_key', callerId, args, agentName, 'h'].join("','")}',0,60,${atMs},0,0,0)`;
  });
  const columns =
    'id,workspace_id,endpoint_id,slug,definition_hash,state,"trigger",caller_kind,caller_id,args,agent_name,hub_id,asynchronous,timeout_sec,created_at_ms,late,stored_bytes,last_seq';
  return `insert into executions (${columns}) values ${values.join(',')}`;
}

type Wanted = Omit<ExecutionFilter, 'workspaceId' | 'limit' | 'cursor'>;

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const moment = fc.nat(ROWS).map((at) => FIRST_MS + at * STEP_MS);
const filters = fc
  .record({
    slug: optional(fc.constantFrom(...SLUGS)),
    callerId: optional(fc.constantFrom(...CALLERS)),
    trigger: optional(fc.constantFrom(...TRIGGERS)),
    agentName: optional(fc.constantFrom(...AGENTS)),
    argument: optional(
      fc.constantFrom(...BRANCHES).map((branch) => ({ name: 'branch', value: branch ?? 'null' })),
    ),
    states: optional(fc.uniqueArray(fc.constantFrom(...EXECUTION_STATES), { minLength: 1, maxLength: 4 })),
    fromMs: optional(moment),
    untilMs: optional(moment),
  })
  .map(
    (given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Wanted,
  );

/** The rule that the indexes must not change. */
function expected({ fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, states, argument, ...equal }: Wanted) {
  return ROWS_STORED.filter(
    (row) =>
      row.workspaceId === 'w1' &&
      row.atMs >= fromMs &&
      row.atMs < untilMs &&
      (states?.includes(row.state) ?? true) &&
      (argument === undefined || row.branch === argument.value) &&
      Object.entries(equal).every(([key, value]) => row[key as keyof Row] === value),
  )
    .map(({ id }) => id)
    .toReversed();
}

/** All pages of a filter, to the end of the cursor. */
async function walk(database: Database, filter: Wanted, limit: number): Promise<string[][]> {
  const listing = new Listing(database, BOUND);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const query = { workspaceId: 'w1', limit, ...filter, ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor, isPartial } = await listing.page(query);
    // A page that is short without being the last one says why.
    expect(isPartial).toBe(items.length < limit && nextCursor !== undefined);
    pages.push(items.map(({ id }) => id));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** The rows are inserted with the triggers that count them: a filter may ask the counts. */
async function onRows(location: StoreLocation, ask: (database: Database) => Promise<void>) {
  return await recordedQueries(location, [], async (database) => {
    await runText(location, insertion(ROWS_STORED));
    await ask(database);
  });
}

onBothDatabases(({ newLocation }) => {
  test('every filter finds what the same filter finds in an array, page by page and each once', async () => {
    await onRows(await newLocation(), async (database) => {
      const property = fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
        expect((await walk(database, filter, limit)).flat()).toEqual(expected(filter));
      });
      await fc.assert(property, { numRuns: 250 });
    });
  }, 120_000);

  test('a filter without matches reads a bounded number of rows for a page', async () => {
    await onRows(await newLocation(), async (database) => {
      const pages = await walk(
        database,
        { states: ['failed', 'lost'], slug: 'deploy', agentName: 'nobody' },
        20,
      );
      expect(pages.flat()).toEqual([]);
      expect(pages.length).toBeGreaterThan(1);
      // No execution has the endpoint `never`: its index shows this, however many executions failed.
      expect(await walk(database, { states: ['failed'], slug: 'never' }, 20)).toEqual([[]]);
    });
  }, 60_000);

  test('few queued executions behind many running ones are found within the bound of each page', async () => {
    const location = await newLocation();
    const some = { ...rowsOf()[0], workspaceId: 'w1', slug: 'deploy' } as Row;
    const rows = Array.from({ length: 200 }, (_, at) => {
      const atMs = FIRST_MS + at * STEP_MS;
      return {
        ...some,
        id: firstIdOf(atMs),
        atMs,
        state: at < 3 ? ('queued' as const) : ('running' as const),
      };
    });
    const ids = rows.map(({ id }) => id).toReversed();
    await recordedQueries(location, [], async (database) => {
      await runText(location, insertion(rows));
      for (const states of [['queued'], ['queued', 'lost']] as const) {
        const pages = await walk(database, { states }, 20);
        expect(pages.length).toBeGreaterThan(1);
        expect(pages.flat()).toEqual(ids.slice(-3));
      }
      expect((await walk(database, { states: ['running'] }, 20)).flat()).toEqual(ids.slice(0, -3));
      expect((await walk(database, { states: ['queued', 'running'] }, 50)).flat()).toEqual(ids);
    });
  }, 60_000);

  test('an endpoint in a state that none of its executions has reads counts, and no executions', async () => {
    const queries = await onRows(await newLocation(), async (database) => {
      expect(await walk(database, { states: ['timed_out', 'cancelled'], slug: 'deploy' }, 20)).toEqual([[]]);
    });
    expect(queries.map(({ sql }) => /from "?(\w+)/.exec(sql)?.[1])).toEqual(['execution_counts_earlier']);
  }, 60_000);

  test('counts decide nothing while earlier executions are still being counted', async () => {
    const location = await newLocation();
    await onRows(location, async (database) => {
      for (const table of ['execution_counts', 'execution_count_changes'])
        await runText(location, `delete from ${table}`);
      const failed: Wanted = { states: ['failed'], slug: 'deploy' };
      expect(await walk(database, failed, 20)).toEqual([[]]);
      await runText(location, "update execution_counts_earlier set counted_down_to = 'g'");
      expect((await walk(database, failed, 20)).flat()).toEqual(expected(failed));
    });
  }, 60_000);

  test('an execution is found though its id is an hour older than its record', async () => {
    const location = await newLocation();
    const day = 86_400_000;
    const atMs = Math.ceil(FIRST_MS / day) * day;
    const late = { ...rowsOf()[0], id: firstIdOf(atMs - 3_600_000), workspaceId: 'w1', slug: 'never', atMs };
    await recordedQueries(location, [], async (database) => {
      await runText(location, insertion([{ ...late, state: 'failed' } as Row]));
      expect(await walk(database, { states: ['failed'], slug: 'never' }, 20)).toEqual([[late.id]]);
    });
  }, 60_000);
});
