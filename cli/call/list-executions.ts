import { ApiError } from '@svc/core/api/client/api-error';
import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteQuery } from '@svc/core/api/routes';
import { EXECUTION_STATES, hasEnded } from '@svc/core/execution/state';
import { visibleText } from '@svc/core/text/visible-text';
import { Failure } from '../failure.ts';
import type { ApiPage } from '../resource/action.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import type { LogsOptions } from './options.ts';

type Listed = Awaited<ReturnType<ApiClient['listExecutions']>>['items'][number];
type ListedRun = Awaited<ReturnType<ApiClient['listPipelineRuns']>>['items'][number];

const DEFAULT_LIMIT = 20;
const MAX_PAGE = 100;
const POLL_MS = 1_000;
const MAX_ATTEMPTS = 10;
const STATUS_WIDTH = Math.max(...EXECUTION_STATES.map((state) => state.length));

/** Lists the latest executions. */
export async function listExecutions(api: ApiClient, options: LogsOptions): Promise<void> {
  const { limit = DEFAULT_LIMIT } = options;
  const query = queryOf(options);
  let unsearched: Unsearched = {};
  const items = await firstOf(limit, async (cursor) => {
    const page = await api.listExecutions({ query: { ...query, limit: Math.min(limit, MAX_PAGE), cursor } });
    unsearched = page;
    return page;
  });
  print(items, rowOf, options, 'no executions', lineBelow);
  noteUnsearched(unsearched);
}

/** Lists the latest pipeline runs. */
export async function listRuns(api: ApiClient, options: LogsOptions): Promise<void> {
  const { limit = DEFAULT_LIMIT, endpoint: pipeline, status, since, follow, output } = options;
  if (since !== undefined || follow)
    throw new Failure(`--runs cannot be combined with ${follow ? '--follow' : '--since'}`);
  if (output !== undefined) throw new Failure('--runs cannot be combined with --output');
  // The service checks the state.
  const query = { pipeline, status: status as RouteQuery<'listPipelineRuns'>['status'] };
  const items = await firstOf(limit, (cursor) =>
    api.listPipelineRuns({ query: { ...query, limit: Math.min(limit, MAX_PAGE), cursor } }),
  );
  print(items, runRow, options, 'no pipeline runs');
}

/**
 * Lists the latest executions, oldest first, then every execution that begins or changes its state, until the program is
 * stopped. Only what began since the oldest known execution that has not ended is read again.
 */
export async function followExecutions(api: ApiClient, options: LogsOptions): Promise<void> {
  const { limit = DEFAULT_LIMIT } = options;
  if (options.output !== undefined) throw new Failure('--follow cannot be combined with --output');
  // A state changes, so it is filtered here.
  const { status, ...query } = queryOf(options);
  const wanted = status === undefined ? undefined : new Set<string>(status);
  // In every state: one that runs may change to the wanted state. Without one there is no history to read again.
  const { items: known } = await api.listExecutions({ query: { ...query, limit: MAX_PAGE } });
  const seen = new Map<string, string>(known.map((one) => [one.execution_id, one.status]));
  let from = oldestOpen(known) ?? query.from ?? new Date(0).toISOString();
  let shown = await firstOf(limit, (cursor) =>
    api.listExecutions({ query: { ...query, status, limit: Math.min(limit, MAX_PAGE), cursor } }),
  );
  for (const one of shown) seen.set(one.execution_id, one.status);
  for (;;) {
    if (shown.length > 0) print(shown.toReversed(), rowOf, options, '');
    await Bun.sleep(POLL_MS);
    const items = await polled(() =>
      firstOf(Number.POSITIVE_INFINITY, (cursor) =>
        api.listExecutions({ query: { ...query, from, limit: MAX_PAGE, cursor } }),
      ),
    );
    const changed = items.filter((one) => seen.get(one.execution_id) !== one.status);
    for (const one of changed) seen.set(one.execution_id, one.status);
    shown = changed.filter((one) => wanted === undefined || wanted.has(one.status));
    from = oldestOpen(items) ?? from;
  }
}

/** Polls again while the service is away, as during its restart. */
async function polled<Answer>(poll: () => Promise<Answer>): Promise<Answer> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await poll();
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || isFinal(error)) throw error;
      await Bun.sleep(POLL_MS);
    }
  }
}

/** The service refuses, and would refuse the next attempt too. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

/** The start of the oldest execution that has not ended, else of the newest one: all that can still change began then. */
function oldestOpen(items: readonly Listed[]): string | undefined {
  return (items.findLast(({ status }) => !hasEnded(status)) ?? items[0])?.created_at;
}

/** `status` is checked by the service, which gets it as it was typed. */
function queryOf({ status, endpoint, since, output }: LogsOptions) {
  const states = status?.split(',') as RouteQuery<'listExecutions'>['status'];
  return { endpoint, from: since, status: states, output };
}

async function firstOf<Item>(
  limit: number,
  page: (cursor: string | undefined) => Promise<ApiPage<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items: more, next_cursor: next } = await page(cursor);
    items.push(...more);
    cursor = next ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return items.slice(0, limit);
}

function print<Item extends object>(
  items: readonly Item[],
  row: (item: Item) => FactRow,
  { json }: LogsOptions,
  none: string,
  below: (item: Item) => string = () => '',
): void {
  if (json) for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
  else if (items.length === 0) process.stderr.write(`${none}\n`);
  else if (items.some((item) => below(item) !== ''))
    for (const item of items) {
      writeRows(process.stdout, [row(item)]);
      process.stdout.write(below(item));
    }
  else writeRows(process.stdout, items.map(row));
}

function rowOf(one: Listed): FactRow {
  const { execution_id: id, created_at: at, status, exit_code, duration_ms, endpoint, requested_by } = one;
  const facts = [
    at,
    status.padEnd(STATUS_WIDTH),
    (exit_code === undefined ? '-' : String(exit_code)).padStart(3),
    durationText(duration_ms).padStart(7),
    endpoint,
    visibleText(requested_by),
  ];
  return { label: id, text: facts.join('  ') };
}

interface Unsearched {
  readonly unsearched_before?: string | undefined;
  readonly unsearched_from?: string | undefined;
}

/** The line of the output that was searched for. */
function lineBelow({ output_line: line }: Listed): string {
  return line === undefined ? '' : `    ${visibleText(line)}\n`;
}

/** The newest executions are always missing for some seconds. */
function noteUnsearched({ unsearched_before: before, unsearched_from: from }: Unsearched): void {
  if (before !== undefined) process.stderr.write(`not indexed yet: executions created before ${before}\n`);
  if (from !== undefined) process.stderr.write(`not indexed yet: executions created since ${from}\n`);
}

function runRow({ run_id: id, created_at: at, status, duration_ms, pipeline }: ListedRun): FactRow {
  const facts = [at, status.padEnd(STATUS_WIDTH), durationText(duration_ms).padStart(7), pipeline];
  return { label: id, text: facts.join('  ') };
}

/** `12ms`, `3.4s`, `12m05s`, `3h02m`; `-` without an end. */
function durationText(ms: number | undefined): string {
  if (ms === undefined) return '-';
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes < 60) return `${minutes}m${two(Math.floor(ms / 1_000) % 60)}s`;
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}
