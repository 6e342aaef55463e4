import { expect, test } from 'bun:test';
import type { Item } from '../api/read.ts';
import { failuresByEndpoint, leavesOut, readDayFailures } from './day-failures.ts';

type Execution = Item<'listExecutions'>;

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse('2026-11-29T12:30:00.000Z');
const hourOf = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString();

/** Failures of an endpoint, one every so often, the newest first. */
function failing(endpoint: string, everyMs: number, many: number, beginMs = NOW_MS - 1): Execution[] {
  return Array.from({ length: many }, (_, n) => {
    const atMs = beginMs - n * everyMs;
    return {
      execution_id: `${new Date(atMs).toISOString()}-${endpoint}`,
      endpoint,
      status: 'failed',
      created_at: new Date(atMs).toISOString(),
    } as Execution;
  });
}

/** A hub with these failures; it notes what it is asked for. */
function hubOf(all: readonly Execution[]) {
  const newestFirst = all.toSorted((one, other) => (one.execution_id < other.execution_id ? 1 : -1));
  const asked: string[] = [];
  const pageOf = (list: readonly Execution[], at: number, limit: number) => ({
    items: list.slice(at, at + limit),
    next_cursor: at + limit < list.length ? String(at + limit) : null,
  });
  return {
    asked,
    newest: pageOf(newestFirst, 0, 50),
    ports: {
      async count(endpoint: string | undefined) {
        asked.push(`count ${endpoint ?? 'all'}`);
        const wanted = newestFirst.filter((one) => endpoint === undefined || one.endpoint === endpoint);
        return Array.from({ length: 25 }, (_, n) => hourOf(NOW_MS - (24 - n) * HOUR_MS)).map((from) => ({
          from,
          states: {
            succeeded: 5,
            failed: wanted.filter((one) => hourOf(Date.parse(one.created_at)) === from).length,
          },
        }));
      },
      async list({ from, until }: { readonly from: string; readonly until: string }, cursor?: string) {
        asked.push(`list ${from.slice(11, 13)} ${cursor ?? ''}`.trim());
        const within = newestFirst.filter((one) => one.created_at >= from && one.created_at < until);
        return pageOf(within, Number(cursor ?? 0), 100);
      },
    },
  };
}

test('a backup that failed last night is found among the failures of a health check that fails all the time', async () => {
  const night = Date.parse('2026-11-29T03:00:01.000Z');
  const { ports, newest, asked } = hubOf([
    ...failing('health', 10_000, 4_000),
    ...failing('backup', HOUR_MS, 1, night),
  ]);
  expect(leavesOut(newest, NOW_MS)).toBe(true);
  expect(failuresByEndpoint(newest, undefined, NOW_MS)).toMatchObject([
    { newest: { endpoint: 'health' }, count: 50, isAtLeast: true },
  ]);
  const day = await readDayFailures(ports, newest.items);
  expect(failuresByEndpoint(newest, day, NOW_MS)).toMatchObject([
    { newest: newest.items[0], count: 4_000, isAtLeast: false },
    { newest: { endpoint: 'backup', created_at: '2026-11-29T03:00:01.000Z' }, count: 1, isAtLeast: false },
  ]);
  expect(day.others).toBe(0);
  expect(asked).toEqual([
    'count all',
    'count health',
    'list 03',
    'list 03 100',
    'list 03 200',
    'list 03 300',
    'count backup',
  ]);
});

test('what is not found within a few pages is counted', async () => {
  const { ports, newest, asked } = hubOf([
    ...failing('health', 1_000, 60_000),
    ...failing('backup', HOUR_MS, 3, Date.parse('2026-11-29T03:00:01.000Z')),
  ]);
  const day = await readDayFailures(ports, newest.items);
  expect(day.endpoints).toHaveLength(1);
  expect(day.others).toBe(3);
  expect(asked.filter((one) => one.startsWith('list'))).toHaveLength(6);
});

test('of the hours with other failures the newest is read first', async () => {
  const { ports, newest, asked } = hubOf([
    ...failing('health', 60_000, 1_000),
    ...failing('morning', HOUR_MS, 1, Date.parse('2026-11-29T08:00:01.000Z')),
    ...failing('night', HOUR_MS, 1, Date.parse('2026-11-29T03:00:01.000Z')),
  ]);
  await readDayFailures(ports, newest.items);
  expect(asked.filter((one) => one.startsWith('list'))).toEqual(['list 08', 'list 03']);
});

test('one endpoint that fails all the time costs two requests', async () => {
  const { ports, newest, asked } = hubOf(failing('health', 60_000, 1_000));
  expect(await readDayFailures(ports, newest.items)).toMatchObject({
    endpoints: [{ count: 1_000 }],
    others: 0,
  });
  expect(asked).toEqual(['count all', 'count health']);
});

test('a page that has all failures of the day needs nothing more; earlier ones are not counted', () => {
  const { newest } = hubOf([
    ...failing('health', HOUR_MS, 60),
    ...failing('old', HOUR_MS, 1, NOW_MS - 30 * HOUR_MS),
  ]);
  expect(leavesOut(newest, NOW_MS)).toBe(false);
  expect(failuresByEndpoint(newest, undefined, NOW_MS)).toMatchObject([
    { newest: { endpoint: 'health' }, count: 24, isAtLeast: false },
    { newest: { endpoint: 'old' }, count: 0, isAtLeast: false },
  ]);
});
