// The invariants themselves: they hold of a ledger that a hub has left, and each break in it is found and named.
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf } from '../pipelines.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { openLedger } from './ledger.ts';
import { brokenInvariants, type Witness } from './ledger-invariants.ts';
import { ledgerSummary, underWay } from './ledger-records.ts';

setDefaultTimeout(120_000);

const MINUTE_MS = 60_000;
const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
  { name: 'tick', command: 'true', schedule: '* * * * *' },
];
const OUTPUT = 'one\ntwo\n';

let folder: TemporaryFolder;
let ids: { readonly call: string; readonly pending: string; readonly run: string; readonly approval: string };
let witness: Witness;
beforeAll(async () => {
  folder = await temporaryFolder();
  await using world = await hubWorld({ env: { SVC_DATA_DIR: folder.path } });
  ids = await liveThrough(world);
  await using ledger = await openLedger({ file: join(folder.path, 'svc.db') });
  const ran = await ledger.rows<{ id: string }>("select id from executions where state = 'succeeded'");
  witness = {
    ran: ran.map(({ id }) => id),
    acknowledged: [ids.call, ids.pending],
    acknowledgedRuns: [ids.run],
    results: new Map([[ids.call, { exitCode: 0, output: OUTPUT }]]),
    keys: new Map([['the key', new Set([ids.call])]]),
    decisions: [{ approvalId: ids.approval, decision: 'approve', status: 200 }],
    outputOf: () => OUTPUT,
  };
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A call with a key, one that is approved, a run of one step, and two minutes of a schedule. */
async function liveThrough(world: HubWorld) {
  await using agent = await world.agent({ endpoints: ENDPOINTS });
  const end = async () => {
    const id = await agent.answer(OUTPUT);
    await agent.receive('ended_ack');
    return id;
  };
  const called = world.call('job', { headers: { 'idempotency-key': 'the key' } });
  const call = await end();
  await called;
  const response = await world.call('guarded');
  const { approval_id: approval } = (await response.json()) as { approval_id: string };
  await world.manage(`/approvals/${approval}/decide`, postOf({ decision: 'approve' }));
  const pending = await end();
  await makePipeline(world, {
    slug: 'chain',
    trigger: { type: 'manual' },
    nodes: [{ id: 'only', endpoint: 'job' }],
  });
  const begun = await world.manage('/pipeline-runs', postOf({ pipeline: 'chain' }));
  const { run_id: run } = (await begun.json()) as { run_id: string };
  await end();
  await (await world.manage(`/pipeline-runs/${run}/stream`)).text();
  for (let minute = 0; minute < 3; minute += 1) {
    world.clock.move(MINUTE_MS);
    await end();
  }
  return { call, pending, run, approval };
}

/** The violations that are found after a change by hand. */
async function foundAfter(change: string, seen: Partial<Witness> = {}): Promise<string> {
  const file = join(folder.path, `${crypto.randomUUID()}.db`);
  await copyFile(join(folder.path, 'svc.db'), file);
  {
    using database = new Database(file);
    database.run('PRAGMA foreign_keys = OFF');
    if (change !== '') database.run(change);
  }
  await using ledger = await openLedger({ file });
  return (await brokenInvariants(ledger, { ...witness, ...seen })).join('\n');
}

test('hold of what a hub has left, and it is all there', async () => {
  expect(await foundAfter('')).toBe('');
  await using ledger = await openLedger({ file: join(folder.path, 'svc.db') });
  expect(await underWay(ledger)).toBe(0);
  expect(await ledgerSummary(ledger)).toEqual({
    'approval approved': 1,
    'fire succeeded': 3,
    'run succeeded': 1,
    succeeded: 6,
  });
});

test.each([
  ["update executions set state = 'running' where slug = 'guarded'", 'is running for ever'],
  ["update pipeline_runs set state = 'running'", 'is running for ever'],
  ["delete from executions where slug = 'guarded'", 'was acknowledged and is not on record'],
  ['delete from pipeline_runs', 'was acknowledged and is not on record'],
  ["update executions set state = 'rejected' where slug = 'guarded'", 'is rejected and ran 1 times'],
  ['delete from execution_output', 'and 1 were counted'],
  [
    'insert into execution_count_changes (workspace_id, slug, created_at_ms, state, duration_ms, change) select workspace_id, slug, created_at_ms, state, duration_ms, 1 from executions',
    'and the statistics say 2',
  ],
  [
    "insert into execution_counts_packed (workspace_id, slug, span_ms, from_ms, state, durations) select workspace_id, slug, 3600000, created_at_ms - created_at_ms % 3600000, state, '999,1' from executions where slug = 'guarded'",
    'and the packed counts say 1',
  ],
  [
    "insert into execution_counts_packed (workspace_id, slug, span_ms, from_ms, state, durations) select workspace_id, slug, 3600000, created_at_ms - created_at_ms % 3600000, 'lost', '3,0' from executions where slug = 'guarded'",
    'and the packed counts say 0',
  ],
  ['update executions set stored_bytes = stored_bytes + 1', 'bytes of'],
  ["update executions set exit_code = 3, state = 'failed'", 'a caller got 0 of'],
  [
    'delete from executions where scheduled_for_ms = (select min(scheduled_for_ms) + 60000 from executions)',
    'tick has 2 records for 3 minutes',
  ],
  ["update approvals set state = 'denied'", 'in the audit log: approved'],
  ["update approvals set state = 'pending'", 'waits for ever'],
  ['update pipeline_runs set active_nodes = 1', 'counts nodes under way'],
  ["update pipeline_nodes set state = 'running'", 'node only of run'],
  ["update executions set state = 'lost' where run_id is not null", 'succeeded, and its execution is lost'],
  ["update idempotency set execution_id = 'another'", '"the key" was answered with'],
  ['update quota set used = used + 1', '6 executions count, and the quota says 7'],
  ['delete from audit_entries where seq = 2', 'has a gap'],
])('find what is broken by "%s"', async (change, expected) => {
  expect(await foundAfter(change)).toContain(expected);
});

test('find executions that ran twice, not at all or unrecorded, and false answers', async () => {
  const { ran } = witness;
  expect(await foundAfter('', { ran: [...ran, ids.call] })).toContain('is succeeded and ran 2 times');
  expect(await foundAfter('', { ran: ran.filter((id) => id !== ids.call) })).toContain('ran 0 times');
  expect(await foundAfter('', { ran: [...ran, 'unknown'] })).toBe('what ran as unknown is not on record');
  const results = new Map([[ids.call, { exitCode: 0, output: 'one\n' }]]);
  expect(await foundAfter('', { results })).toContain('a caller got 0 of');
  const keys = new Map([['the key', new Set([ids.call, ids.pending])]]);
  expect(await foundAfter('', { keys })).toContain('"the key" stood for');
  const decided = { approvalId: ids.approval, decision: 'deny', status: 200 } as const;
  expect(await foundAfter('', { decisions: [...witness.decisions, decided] })).toContain(
    '2 people got the answer that they decided',
  );
});
