import { expect, test } from 'bun:test';
import { retainedRun } from '@svc/core/pipeline/run/new-run';
import { PublishedEvents } from '../../../alerts/store/published-events.ts';
import type { StoreLocation } from '../../../build/create-store.ts';
import { Idempotency } from '../../../executions/store/idempotency.ts';
import { Quota } from '../../../executions/store/quota.ts';
import type { Database } from '../../../platform/db/database.ts';
import { planOf, recordedQueries } from '../../../platform/db/fixtures/query-plans.ts';
import { onBothDatabases } from '../../../platform/db/fixtures/stores.ts';
import { cursorAfter } from '../../../platform/db/reading/walk.ts';
import type { RunFilter } from '../run-ports.ts';
import { RunRemoval } from './run-removal.ts';
import { PipelineRuns } from './run-store.ts';

const RUNS = 10_000;
const ID = "'019a0000-0000-7000-8000-' || (100000000000 + n)";
const AN_ID = '019a0000-0000-7000-8000-100000005000';

function filling(table: string, values: Readonly<Record<string, string>>): string {
  const columns = Object.keys(values).map((column) => `"${column}"`);
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${RUNS})`;
  return `insert into ${table} (${columns}) ${numbers} select ${Object.values(values)} from numbers`;
}

/** Runs of 20 workspaces, each with a node and its execution; three runs are unfinished. */
const FILL = [
  filling('pipeline_runs', {
    id: ID,
    workspace_id: "'w' || (n % 20)",
    slug: "'s' || (n % 7)",
    caller_id: "'k' || (n % 3)",
    hub_id: "'h' || (n % 2)",
    state: "case when n % 3000 = 1 then 'running' when n % 100 < 1 then 'failed' else 'succeeded' end",
    ...{ pipeline_id: "'p'", pipeline_version: '1', trigger: "'call'", caller_kind: "'api_key'" },
    ...{ created_at_ms: 'n', revision: '3', open_nodes: '0', active_nodes: '0', waiting_nodes: '0' },
  }),
  filling('pipeline_nodes', {
    ...{ run_id: ID, node: "'build'", revision: '2', state: "'running'", attempt: '1', record: "'{}'" },
    awaits: 'case when n % 3000 = 1 then 1 else 0 end',
  }),
  filling('pipeline_run_inputs', { run_id: ID, input: "'{}'" }),
  filling('executions', {
    ...{ id: ID, workspace_id: "'w' || (n % 20)", slug: "'s'", hub_id: "'h'", state: "'succeeded'" },
    ...{ endpoint_id: "'e'", definition_hash: "'d'", trigger: "'pipeline'", caller_kind: "'api_key'" },
    ...{ args: "'{}'", asynchronous: '1', timeout_sec: '60', created_at_ms: 'n', late: '0' },
    ...{ stored_bytes: '0', last_seq: '0', run_id: ID, step: "'build'", attempt: '1' },
  }),
];

const queriesOf = (location: StoreLocation, ask: (runs: PipelineRuns, database: Database) => Promise<void>) =>
  recordedQueries(location, FILL, (database) => {
    const events = new PublishedEvents(database);
    const parts = { quota: new Quota(database), idempotency: new Idempotency(database), events };
    return ask(new PipelineRuns(database, parts), database);
  });

onBothDatabases(({ newLocation }) => {
  test('every list of runs uses an index, newest first', async () => {
    const location = await newLocation();
    const filters: [filter: Partial<RunFilter>, index: string][] = [
      [{}, 'workspace'],
      [{ slug: 's1' }, 'slug'],
      [{ state: 'failed' }, 'state'],
      [{ state: 'running' }, 'state'],
      [{ callerId: 'k1' }, 'caller'],
    ];
    const queries = await queriesOf(location, async (runs) => {
      for (const [filter] of filters)
        for (const cursor of [undefined, cursorAfter(AN_ID)])
          await runs.list({ workspaceId: 'w1', limit: 20, ...filter, ...(cursor && { cursor }) });
    });
    for (const [at, query] of queries.entries()) {
      const plan = await planOf(location, query);
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE|Seq Scan/);
      const [, index] = filters[Math.floor(at / 2)] ?? [];
      // PostgreSQL may scan from the newest run of all, because one in 20 belongs to the workspace.
      expect(plan).toMatch(
        new RegExp(`pipeline_runs_by_${index}\\b|Index Scan Backward using pipeline_runs_pkey`),
      );
    }
  }, 60_000);

  test('unfinished runs are found without scanning ended ones', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (runs) => {
      expect(await runs.owners()).toEqual(['h1']);
      expect(await runs.unfinished('h1')).toHaveLength(4);
      expect(await runs.cancelRequests('h1')).toEqual([]);
      expect(await runs.moved('h1')).toHaveLength(4);
    });
    for (const query of queries) {
      const plan = await planOf(location, query);
      expect(plan).toContain('pipeline_runs_unfinished');
      expect(plan).not.toMatch(/SCAN (?!pipeline_runs USING)|Seq Scan/);
    }
  }, 60_000);

  test('rows of a run are found by its id', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (runs) => {
      await runs.find(AN_ID);
      await runs.head(AN_ID);
      await runs.nodes(AN_ID);
      await runs.nodes(AN_ID, 1);
      await runs.executions(AN_ID);
      await runs.executions(AN_ID, 'build');
      await runs.input(AN_ID);
    });
    expect(queries).toHaveLength(7);
    for (const query of queries) expect(await planOf(location, query)).not.toMatch(/SCAN|Seq Scan/);
  }, 60_000);

  test('open runs of a workspace are counted up to the limit, without scanning ended ones', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (runs) => {
      const parts = { input: { kind: 'plain', fields: '{}' }, claims: [], sealedRequest: undefined } as const;
      const head = { state: 'queued', revision: 0, open: 0, active: 0, waiting: 0 } as const;
      const state = retainedRun({ input: {}, head, nodes: [] });
      const run = (await runs.list({ workspaceId: 'w1', limit: 1 })).items[0];
      if (run === undefined) throw new Error('a run expected');
      await runs.start({ ...run, id: 'another' }, state, { ...parts, maxOpen: 1 });
    });
    expect(await planOf(location, queries[1] ?? { sql: '', values: [] })).toContain('pipeline_runs_by_state');
  }, 60_000);

  test('a sweep starts at the oldest run and stops at the given id', async () => {
    const location = await newLocation();
    const queries = await queriesOf(location, async (_, database) => {
      await new RunRemoval(database).removeSome('019a');
    });
    for (const query of queries)
      expect(await planOf(location, query)).toMatch(
        /^SEARCH pipeline_runs USING INDEX \S+ \(id<\?\)$|Index Scan using pipeline_runs_pkey/,
      );
  }, 60_000);
});
