// A hub packs the counts of statistics ahead of reads (decision 114, packed counts).
import { test } from 'bun:test';
import { createStore } from '@svc/hub/build/create-store';
import { runText } from '@svc/hub/platform/db/fixtures/query-plans';
import { newExecution, newId, STORE_OPTIONS, succeeded } from '@svc/hub/platform/db/fixtures/samples';
import { hubWorld } from '../hub-world.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { until } from '../until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Retention removes nothing within this time. */
const MAX_HOURS = 20 * 24;
/** Days that are over by the clock of the database. */
const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;

test.skipIf(postgresMissing !== undefined)(
  'a hub on PostgreSQL packs hours and days when it starts, and each hour',
  async () => {
    await using server = await startPostgres({ syncs: false });
    const url = await server.createDatabase();
    const location = { kind: 'postgres', url } as const;
    await using store = await createStore(location, STORE_OPTIONS);
    for (let hour = 0; hour < 48; hour += 1) {
      const createdAtMs = FIRST_MS + hour * HOUR_MS;
      const id = newId(createdAtMs);
      await store.executions.accept(newExecution({ id, createdAtMs }));
      await store.executions.finish(succeeded(id), []);
    }
    await using world = await hubWorld({ env: { DATABASE_URL: url, SVC_MASTER_KEY: '7'.repeat(64) } });
    const packedSpans = async () => {
      const text = 'select count(distinct (slug, span_ms, from_ms)) as spans from execution_counts_packed';
      return Number((await runText(location, text))[0]?.spans);
    };
    // 48 hours and two days, of the workspace and of its endpoint.
    const all = 100;
    await until(async () => (await packedSpans()) === all);
    await runText(location, 'delete from execution_counts_packed');
    // The first look ends at some moment, and the next one begins an hour later.
    let hours = 0;
    await until(async () => {
      if (hours < MAX_HOURS) world.clock.move(HOUR_MS);
      hours += 1;
      return (await packedSpans()) === all;
    });
  },
  60_000,
);
