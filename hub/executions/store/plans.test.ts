import { expect, test } from 'bun:test';
import { PublishedEvents } from '../../alerts/store/published-events.ts';
import type { StoreLocation } from '../../build/create-store.ts';
import type { Database } from '../../platform/db/database.ts';
import { planOf, recordedQueries } from '../../platform/db/fixtures/query-plans.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { cursorAfter } from '../../platform/db/reading/walk.ts';
import { Retention } from '../../retention/store/retention.ts';
import type { ExecutionFilter } from '../execution-ports.ts';
import { StoredLedger } from './execution-store.ts';
import { Listing } from './listing.ts';
import { OutputIndex } from './output-index.ts';
import { readStatistics } from './statistics.ts';

const ROWS = 30_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The time in the ids of all rows, on a whole hour. */
const IDS_MS = Math.floor(0x019a_0000_0000 / HOUR_MS) * HOUR_MS;

/** Executions of 20 workspaces in the order of their ids: one in a hundred failed, and six still run. */
const FILL = (() => {
  const values = {
    id: "'019a0000-0000-7000-8000-' || (100000000000 + n)",
    workspace_id: "'w' || (n % 20)",
    slug: "'s' || (n % 7)",
    caller_id: "'k' || (n % 3)",
    hub_id: "'h' || (n % 2)",
    state: "case when n % 5000 = 1 then 'running' when n % 100 < 1 then 'failed' else 'succeeded' end",
    ...{
      endpoint_id: "'e'",
      definition_hash: "'d'",
      trigger: "'call'",
      caller_kind: "'api_key'",
      args: "'{}'",
    },
    ...{
      asynchronous: '0',
      timeout_sec: '60',
      created_at_ms: 'n',
      late: '0',
      stored_bytes: '0',
      last_seq: '0',
    },
  };
  const columns = Object.keys(values).map((column) => `"${column}"`);
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;
  return `insert into executions (${columns}) ${numbers} select ${Object.values(values)} from numbers`;
})();

/** Counts that are not of these rows, so no filter may be answered from them. */
const COUNTS = [
  `insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
    select 'w' || (n % 20), 's' || (n % 7), 86400000, n, 'succeeded', n % 50, 0, 1 from numbers`,
  "update execution_counts_earlier set counted_down_to = 'g'",
];

const queriesOf = (location: StoreLocation, ask: (database: Database) => Promise<void>) =>
  recordedQueries(location, [FILL, ...COUNTS], ask);

onBothDatabases(({ newLocation }) => {
  test('every way to list executions follows an index, newest first', async () => {
    const location = await newLocation();
    const filters: [filter: Partial<ExecutionFilter>, index: string][] = [
      [{}, 'executions_by_workspace_id_id'],
      [{ slug: 's1' }, 'executions_by_workspace_id_slug_id'],
      [{ states: ['failed'] }, 'executions_unhappy'],
      [{ states: ['timed_out'] }, 'executions_unhappy'],
      [{ states: ['running'] }, 'executions_unfinished'],
      [{ states: ['failed', 'lost'] }, 'executions_unhappy'],
      [{ states: ['succeeded'] }, 'executions_by_workspace_id_id'],
      [{ callerId: 'k1' }, 'executions_by_workspace_id_caller_id_id'],
      [{ fromMs: 0, untilMs: 9e12 }, 'executions_by_workspace_id_id'],
      [{ trigger: 'schedule', fromMs: 0, untilMs: 9e12 }, 'executions_by_workspace_id_id'],
      [{ agentName: 'default', slug: 's1' }, 'executions_by_workspace_id_slug_id'],
      [{ slug: 's1', callerId: 'k1' }, 'executions_by_workspace_id_(slug|caller_id)_id'],
      [{ slug: 's1', states: ['failed'] }, 'executions_(by_workspace_id_slug_id|unhappy)'],
      [
        { callerId: 'k1', states: ['lost', 'running'] },
        'executions_(by_workspace_id_caller_id_id|unhappy|unfinished)',
      ],
    ];
    const indexes: string[] = [];
    const cursor = cursorAfter('019a0000-0000-7000-8000-100000020000');
    const queries = await queriesOf(location, async (database) => {
      for (const [filter, index] of filters) {
        const reader: Database['reader'] = {
          rows: (query) => {
            indexes.push(index);
            return database.reader.rows(query);
          },
        };
        const listing = new Listing({ ...database, reader });
        await listing.page({ workspaceId: 'w1', limit: 20, ...filter });
        await listing.page({ workspaceId: 'w1', limit: 20, ...filter, cursor });
      }
    });
    // A filter without an index uses two queries: the first bounds the range, the second reads it.
    expect(queries.length).toBeGreaterThan(2 * filters.length);
    expect(indexes).toHaveLength(queries.length);
    for (const [at, query] of queries.entries()) {
      const plan = await planOf(location, query);
      if (query.sql.includes('from execution_counts')) {
        // The ends that are not in the counts yet are few.
        expect(plan).toMatch(/execution_counts_key|USING PRIMARY KEY/);
        continue;
      }
      expect(plan).not.toMatch(/SCAN (?!walked)|TEMP B-TREE|Seq Scan/);
      // With two bounds in one direction SQLite would walk from the one to the other.
      for (const bound of [/"id" < /g, /"id" >= /g])
        expect(query.sql.match(bound)?.length ?? 0).toBeLessThan(2);
      // Rows that were found by looking through an index are read by their ids.
      if (/"id" in \(/.test(query.sql)) continue;
      // PostgreSQL may choose to go back from the newest of all, where one in 20 is of the workspace; and of few that it has to
      // look through it sorts what any index of the workspace finds.
      const isScanned = /limit \d/.test(query.sql);
      const index = isScanned ? 'executions_(by_workspace_id_\\w+|unhappy|unfinished)' : indexes[at];
      expect(plan).toMatch(new RegExp(`${index}\\b|Index Scan Backward using executions_pkey`));
    }
  }, 60_000);

  test('the index of output looks for what is pending, and not through all executions', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (database) => {
      const index = new OutputIndex(database, async () => []);
      // The first step sets the marks.
      for (let step = 1; step <= 2; step += 1) await index.step(Date.now());
    });
    const pending = queries.filter(({ sql }) => sql.includes('output_search_pending'));
    expect(pending).not.toBeEmpty();
    for (const query of pending)
      expect(await planOf(location, query)).not.toMatch(/SCAN executions|Seq Scan on executions/);
  }, 60_000);

  test('a filter without an index reads piece by piece, and finds every row', async () => {
    const location = await newLocation();
    await queriesOf(location, async (database) => {
      const listing = new Listing(database, { rows: 100, ms: 60_000 });
      const walk = async (filter: Partial<ExecutionFilter>) => {
        const pages: string[][] = [];
        let cursor: string | undefined;
        do {
          const page = await listing.page({
            workspaceId: 'w1',
            limit: 30,
            ...filter,
            ...(cursor && { cursor }),
          });
          pages.push(page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return pages;
      };
      const all = (await walk({})).flat();
      expect(all).toHaveLength(ROWS / 20);
      const succeeded = (await walk({ states: ['succeeded'] })).flat();
      // Six of them run.
      expect([succeeded.length, new Set(succeeded).size]).toEqual([1_494, 1_494]);
      expect((await walk({ states: ['succeeded', 'running'] })).flat()).toEqual(all);
      expect((await walk({ trigger: 'call' })).flat()).toEqual(all);
      const none = await walk({ trigger: 'schedule' });
      expect([none.flat(), none.length]).toEqual([[], ROWS / 20 / 100 + 1]);
    });
  }, 60_000);

  test('unfinished executions are found without reading ended ones', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (database) => {
      const ledger = new StoredLedger(database, new PublishedEvents(database));
      expect(await ledger.owners()).toEqual(['h1']);
      expect(await ledger.unfinished('h1')).toHaveLength(6);
      expect(await ledger.queuedAtOtherHubs('h2', 10)).toEqual([]);
    });
    for (const query of queries) expect(await planOf(location, query)).toContain('executions_unfinished');
  }, 60_000);

  test('statistics find unfinished and pending executions without reading ended ones', async () => {
    const location = await newLocation();
    const span = { fromMs: IDS_MS - 30 * DAY_MS, untilMs: IDS_MS + DAY_MS, bucketMs: HOUR_MS };
    const queries = await queriesOf(location, async (database) => {
      for (const of of [{ workspaceId: 'w1' }, { workspaceId: 'w1', slug: 's1' }])
        await readStatistics(database, of, span);
    });
    const plans = await Promise.all(queries.map((query) => planOf(location, query)));
    const ofExecutions = plans.filter((plan) => plan.includes('executions_'));
    expect(ofExecutions).toHaveLength(2);
    for (const plan of ofExecutions) {
      expect(plan).toContain('executions_unfinished');
      expect(plan).toContain('executions_unhappy');
      expect(plan).not.toMatch(/SCAN executions|Seq Scan on executions|executions_by_|executions_pkey/);
    }
  }, 60_000);

  test('a sweep starts at the oldest id, and stops at the given one', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (database) => {
      await new Retention(database).sweep(0);
    });
    const [ofExecutions] = await Promise.all(queries.map((query) => planOf(location, query)));
    expect(ofExecutions).toMatch(
      /^SEARCH executions USING PRIMARY KEY \(id<\?\)$|Index Scan using executions_pkey/,
    );
  }, 60_000);
});
