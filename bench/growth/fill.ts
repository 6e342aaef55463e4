import { Database } from 'bun:sqlite';
import { execFileSync } from 'node:child_process';
import { encodeEvent } from '@svc/core/execution/sse';
import { firstIdOf } from '@svc/hub/executions/store/first-id';
import { NUMBERS_PER_MS, workspaceWord } from '@svc/hub/executions/store/output-search';
import pg from 'pg';

const DAY_MS = 86_400_000;
const SPAN_MS = 30 * DAY_MS;
const ROWS_PER_BATCH = 100_000;
/** 1,475 bytes as events: about 1 KB of a command's output. */
const OUTPUT_BYTES = 1_475;

export type Target = { readonly file: string } | { readonly url: string };

export interface Filling {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly rows: number;
  readonly nowMs: number;
  /** Hubs add to the counts what triggers have noted; here it is done after each step. */
  readonly foldCounts: () => Promise<void>;
}

/** The SQL in which the two databases differ. */
interface Dialect {
  readonly numbers: (from: number, to: number) => string;
  readonly hex: (value: string, digits: number) => string;
  readonly bytes: string;
  readonly bytesOf: (text: string) => string;
  readonly outputTable: string;
  /** Adds the executions of some numbers to the index of words in output. */
  readonly index: (executions: Indexed) => readonly string[];
}

/** SQL expressions over `n`, the number of an execution. */
interface Indexed {
  readonly numbers: string;
  readonly id: string;
  readonly atMs: string;
  /** The words of the output, apart by spaces. */
  readonly words: string;
}

const SQLITE: Dialect = {
  numbers: (from, to) =>
    `(with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${to - 1}) select n from numbers)`,
  hex: (value, digits) => `printf('%0${digits}x', ${value})`,
  bytes: `randomblob(${OUTPUT_BYTES})`,
  bytesOf: (text) => `cast('${text}' as blob)`,
  outputTable: 'execution_output',
  // Ten million executions in 30 days are 259 ms apart, so no two have the same number.
  index: ({ numbers, id, atMs, words }) => [
    `insert into output_search_documents (document, execution_id) select ${atMs} * ${NUMBERS_PER_MS} + n % ${NUMBERS_PER_MS}, ${id} from ${numbers}`,
    `insert into output_search (rowid, words) select ${atMs} * ${NUMBERS_PER_MS} + n % ${NUMBERS_PER_MS}, ${words} from ${numbers}`,
  ],
};

const POSTGRES: Dialect = {
  numbers: (from, to) => `(select n::bigint from generate_series(${from}, ${to - 1}) as n)`,
  hex: (value, digits) => `lpad(to_hex((${value})::bigint), ${digits}, '0')`,
  bytes: `decode((select string_agg(md5(n::text || i::text), '') from generate_series(1, ${Math.ceil(OUTPUT_BYTES / 16)}) i), 'hex')`,
  bytesOf: (text) => `convert_to('${text}', 'UTF8')`,
  outputTable: 'output_chunks',
  index: ({ numbers, id, words }) => [
    `insert into output_search (execution_id, words) select ${id}, array_to_tsvector(string_to_array(${words}, ' ')) from ${numbers} as numbers`,
  ],
};

/** Words that every output has, as most lines of one command repeat. Each output has one word of its own besides. */
const SHARED_WORDS = 'building compiling module done in ms of step target production warning finished';

/**
 * Fills a store with executions of the last 30 days as calls, schedules, approvals and pipelines leave them: 20 endpoints, 2 %
 * failed, none of them of `e0`. One in fifty waited for approval, one in twenty is a step of a run with five steps. The words of
 * their outputs are indexed, and the data is on the disk when this ends: the first calls do not pay for the filling.
 */
export async function fill(target: Target, filling: Filling): Promise<void> {
  const dialect = 'file' in target ? SQLITE : POSTGRES;
  const run = await runnerOf(target);
  for (let from = 0; from < filling.rows; from += ROWS_PER_BATCH) {
    const to = Math.min(filling.rows, from + ROWS_PER_BATCH);
    for (const statement of statements(dialect, filling, from, to)) await run.text(statement);
    await filling.foldCounts();
  }
  await run.text(finishedIndex(filling.nowMs));
  await run.close();
  execFileSync('sync');
}

export const LONG_PIECES = 100_000;

/** Gives the newest execution an output of many pieces, each with one line. Returns its id. */
export async function fillLongOutput(target: Target): Promise<string> {
  const { numbers, bytesOf, outputTable } = 'file' in target ? SQLITE : POSTGRES;
  const run = await runnerOf(target);
  const id = await run.value('select max(id) from executions');
  const line = bytesOf(encodeEvent({ type: 'output', data: 'one of many lines' }));
  await run.text(
    `insert into ${outputTable} (execution_id, seq, sse) select '${id}', n, ${line} from ${numbers(2, LONG_PIECES + 1)} as numbers`,
  );
  await run.close();
  return id;
}

/** The marks of an index that nothing is missing from. Executions of later fills are older than these marks. */
function finishedIndex(nowMs: number): string {
  return `insert into output_search_marks (id, up_to, down_to) values (1, '${firstIdOf(nowMs)}', '') on conflict (id) do nothing`;
}

function statements(
  dialect: Dialect,
  { workspaceId, keyId, rows, nowMs }: Filling,
  from: number,
  to: number,
): string[] {
  const stepMs = SPAN_MS / rows;
  const atMs = `cast(${nowMs - SPAN_MS} + n * ${stepMs} as bigint)`;
  const idOf = (version: string) =>
    `${dialect.hex(`${atMs} / 65536`, 8)} || '-' || ${dialect.hex(`${atMs} % 65536`, 4)} || '-7${version}-8000-' || ${dialect.hex('n', 12)}`;
  const slug = "'e' || (n % 20)";
  const isFailed = 'n % 50 = 7';
  const isStep = 'n % 100 < 5';
  const id = idOf('000');
  // Five rows in a row are the steps of one run.
  const runId = `'run-${nowMs}-' || (n / 100)`;
  const numbers = dialect.numbers(from, to);
  const insertion = (table: string, values: Readonly<Record<string, string>>, where = 'true') =>
    `insert into ${table} (${Object.keys(values).map((name) => `"${name}"`)}) select ${Object.values(values)} from ${numbers} as numbers where ${where}`;
  const duration = 'n * 7919 % 2000';
  return [
    insertion('executions', {
      ...{
        id,
        workspace_id: `'${workspaceId}'`,
        endpoint_id: `'endpoint-' || (n % 20)`,
        endpoint_version: '1',
      },
      ...{ slug, definition_hash: `'${'d'.repeat(64)}'`, agent_name: "'default'" },
      state: `case when ${isFailed} then 'failed' else 'succeeded' end`,
      trigger: `case when ${isStep} then 'pipeline' when n % 20 = 3 then 'schedule' else 'call' end`,
      ...{ caller_kind: "'api_key'", caller_id: `'${keyId}'`, args: `'{"target":"production"}'` },
      ...{ agent_instance: `'${crypto.randomUUID()}'`, agent_boot: `'${crypto.randomUUID()}'` },
      ...{ hub_id: `'${crypto.randomUUID()}'`, asynchronous: '0', timeout_sec: '60', created_at_ms: atMs },
      ...{ started_at_ms: atMs, ended_at_ms: `${atMs} + ${duration}`, duration_ms: duration, exit_code: '0' },
      ...{ late: '0', stored_bytes: `${OUTPUT_BYTES}`, last_seq: '1' },
      run_id: `case when ${isStep} then ${runId} end`,
      step: `case when ${isStep} then 'step-' || (n % 100) end`,
      attempt: `case when ${isStep} then 1 end`,
    }),
    insertion(dialect.outputTable, { execution_id: id, seq: '1', sse: dialect.bytes }),
    insertion(
      'approvals',
      {
        ...{
          id: idOf('001'),
          workspace_id: `'${workspaceId}'`,
          execution_id: id,
          slug,
          agent_name: "'default'",
        },
        ...{
          requested_by: "'key bench'",
          generation: '1',
          created_at_ms: atMs,
          expires_at_ms: `${atMs} + 1800000`,
        },
        state: `case when n % 100 = 11 then 'approved' else 'denied' end`,
      },
      'n % 50 = 11',
    ),
    insertion(
      'pipeline_runs',
      {
        ...{ id: runId, workspace_id: `'${workspaceId}'`, pipeline_id: "'pipeline'", pipeline_version: '1' },
        ...{ slug: `'p' || (n / 100 % 20)`, trigger: "'manual'", caller_kind: "'member'", hub_id: "'hub'" },
        ...{ created_at_ms: atMs, state: `case when ${isFailed} then 'failed' else 'succeeded' end` },
        ...{ revision: '9', open_nodes: '0', active_nodes: '0', waiting_nodes: '0' },
      },
      'n % 100 = 0',
    ),
    ...dialect.index({
      numbers,
      ...{ id, atMs },
      words: `'${workspaceWord(workspaceId)} ${SHARED_WORDS} r' || ${dialect.hex('n', 10)}`,
    }),
  ];
}

interface Runner {
  text(sql: string): Promise<unknown>;
  /** The one column of the one row. */
  value(sql: string): Promise<string>;
  close(): Promise<unknown>;
}

async function runnerOf(target: Target): Promise<Runner> {
  if ('url' in target) {
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    await client.query('set synchronous_commit = off');
    const close = async () => {
      await client.query('vacuum analyze');
      await client.query('checkpoint');
      await client.end();
    };
    const value = async (sql: string) => {
      const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
      return rows[0]?.[0] ?? '';
    };
    return { text: (sql) => client.query(sql), value, close };
  }
  const database = new Database(target.file);
  for (const pragma of ['synchronous = off', 'cache_size = -524288', 'temp_store = memory'])
    database.run(`pragma ${pragma}`);
  return {
    text: async (sql) => database.run(sql),
    value: async (sql) => `${database.query(sql).values()[0]?.[0]}`,
    close: async () => {
      database.run('pragma wal_checkpoint(truncate)');
      database.close();
    },
  };
}
