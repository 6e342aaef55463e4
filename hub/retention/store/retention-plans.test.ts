// Decision 62: the sweep finds that nothing is left without reading a table, although it runs on the thread that writes.
import { expect, test } from 'bun:test';
import pg from 'pg';
import { createStore, type StoreLocation } from '../../build/create-store.ts';
import type { Database } from '../../platform/db/database.ts';
import { recordedQueries, runText } from '../../platform/db/fixtures/query-plans.ts';
import { STORE_OPTIONS } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { Retention } from './retention.ts';

const ROWS = 20_000;
const NUMBERS = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;
/** Rows lie apart from those of the same time, as counts do: an index costs the most then. */
const AT = `n * 7919 % ${ROWS}`;
/** The tables that grow with use, and from which rows are removed by time. */
const FILLS: Readonly<Record<string, string>> = {
  execution_counts: `(workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
    ${NUMBERS} select 'w', 's' || n % 20, 3600000, ${AT}, 'succeeded', n % 70, 0, 1 from numbers`,
  execution_counts_packed: `(workspace_id, slug, span_ms, from_ms, state, durations)
    ${NUMBERS} select 'w', 's' || n % 20, 3600000, ${AT}, 'succeeded', '1,1' from numbers`,
  idempotency: `(endpoint_id, credential, "key", execution_id, request_hash, expires_at_ms)
    ${NUMBERS} select 'e', 'c', 'k' || n, 'x', 'h', ${AT} from numbers`,
  alert_deliveries: `(id, workspace_id, lane, party, event_id, event_name, event_at_ms, data, state, tries, created_at_ms)
    ${NUMBERS} select 'd' || n, 'w', 'l', 'p', 'e', 'n', n, '{}', 'sent', 1, ${AT} from numbers`,
};

/** The texts that a sweep stores, once there is nothing to remove. */
async function sweptTexts(location: StoreLocation): Promise<string[]> {
  const texts = new Set<string>();
  await recordedQueries(location, [], async (database) => {
    const commit: Database['commit'] = (unit) => {
      for (const { text } of unit) texts.add(text.sql);
      return database.commit(unit);
    };
    await new Retention({ ...database, commit }).sweep(0);
  });
  return [...texts];
}

/** How the database would find the rows whatever the values are: the values of the first five runs do not decide. */
async function planOf(location: StoreLocation, text: string): Promise<string> {
  if (location.kind === 'sqlite') {
    const values = Array.from(text.matchAll(/\?/g), () => 0);
    const steps = await runText(location, `explain query plan ${text}`, values);
    return steps.map(({ detail }) => detail).join('\n');
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare swept as ${text}`);
    const values = Array.from(new Set(text.match(/\$\d+/g)), () => '0');
    const { rows } = await client.query(`explain (costs off) execute swept(${values})`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

onBothDatabases(({ newLocation }) => {
  test('a removal by time finds its rows by an index, and also finds by it that none is left', async () => {
    const location = await newLocation();
    await (await createStore(location, STORE_OPTIONS))[Symbol.asyncDispose]();
    for (const [table, rows] of Object.entries(FILLS))
      await runText(location, `insert into ${table} ${rows}`);
    if (location.kind === 'postgres') await runText(location, 'analyze');
    const texts = await sweptTexts(location);
    const whole: string[] = [];
    for (const table of Object.keys(FILLS)) {
      const [text = ''] = texts.filter((one) => new RegExp(`^delete from "?${table}\\b`).test(one));
      // PostgreSQL may join a hundred keys with a small table by reading it.
      const isWhole = new RegExp(`Limit\n *->  Seq Scan on ${table}|SCAN ${table}`);
      if (isWhole.test(await planOf(location, text))) whole.push(table);
    }
    expect(whole).toEqual([]);
  }, 60_000);
});
