import type { Answer, Item } from '../api/read.ts';
import { FAILED_STATES } from '../first-reads.ts';

type Execution = Item<'listExecutions'>;
type Buckets = readonly Pick<Answer<'countExecutions'>['buckets'][number], 'from' | 'states'>[];

interface DayFailuresPorts {
  /** The counts of the last 24 hours, by hour; undefined: of all endpoints. */
  readonly count: (endpoint: string | undefined) => Promise<Buckets>;
  /** Failures that began in an hour, the newest first, in pages. */
  readonly list: (
    hour: { readonly from: string; readonly until: string },
    cursor: string | undefined,
  ) => Promise<Pick<Answer<'listExecutions'>, 'items' | 'next_cursor'>>;
}

/** The failures of an endpoint. */
export interface EndpointFailures {
  readonly newest: Execution;
  /** In the last 24 hours. */
  readonly count: number;
  /** There may be more. */
  readonly isAtLeast: boolean;
}

/** The failures of the last 24 hours. */
export interface DayFailures {
  readonly endpoints: readonly EndpointFailures[];
  /** Those of endpoints that were not found. */
  readonly others: number;
}

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** The most pages of failures that are read: an endpoint that fails all the time fills many. */
const MAX_PAGES = 6;
const MAX_COUNTED = 24;

/**
 * The failures of the last 24 hours by endpoint, where there are more than a page of the list. The counts of all endpoints beside those
 * of the known ones tell in which hours others failed; only these hours are read. One request at a time.
 *
 * @param page the newest failures
 */
export async function readDayFailures(
  { count, list }: DayFailuresPorts,
  page: readonly Execution[],
): Promise<DayFailures> {
  // Read first: what fails meanwhile is counted for its endpoint only, and no other is looked for.
  const left = new Map((await count(undefined)).map(({ from, states }) => [from, failuresIn(states)]));
  const endpoints = new Map<string, EndpointFailures>();
  const add = async (newest: Execution) => {
    if (endpoints.has(newest.endpoint) || endpoints.size >= MAX_COUNTED) return;
    const hours = await count(newest.endpoint);
    for (const { from, states } of hours) left.set(from, (left.get(from) ?? 0) - failuresIn(states));
    endpoints.set(newest.endpoint, { newest, count: failuresOf(hours), isAtLeast: false });
  };
  for (const one of page) await add(one);
  let pages = 0;
  for (const from of [...left.keys()].toReversed()) {
    const until = new Date(Date.parse(from) + HOUR_MS).toISOString();
    let cursor: string | undefined;
    while ((left.get(from) ?? 0) > 0 && pages < MAX_PAGES && endpoints.size < MAX_COUNTED) {
      const { items, next_cursor: next } = await list({ from, until }, cursor);
      for (const one of items) await add(one);
      pages += 1;
      if (next === null) break;
      cursor = next;
    }
  }
  const others = [...left.values()].reduce((sum, count) => sum + Math.max(count, 0), 0);
  return { endpoints: [...endpoints.values()], others };
}

/** Whether a page of the newest failures may leave out some of the last 24 hours. */
export function leavesOut(
  { items, next_cursor: next }: Pick<Answer<'listExecutions'>, 'items' | 'next_cursor'>,
  nowMs: number,
): boolean {
  const oldest = items.at(-1);
  return next !== null && oldest !== undefined && Date.parse(oldest.created_at) > nowMs - DAY_MS;
}

/**
 * The failures by endpoint, that of the newest first.
 *
 * @param page the newest failures
 * @param day undefined: not read yet, or the page has them all
 */
export function failuresByEndpoint(
  page: Pick<Answer<'listExecutions'>, 'items' | 'next_cursor'>,
  day: DayFailures | undefined,
  nowMs: number,
): readonly EndpointFailures[] {
  const isAtLeast = leavesOut(page, nowMs);
  const groups = new Map(day?.endpoints.map((one) => [one.newest.endpoint, one]));
  for (const [endpoint, [newest, ...earlier]] of Map.groupBy(page.items, (one) => one.endpoint)) {
    if (newest === undefined) continue;
    const known = groups.get(endpoint);
    const recent = [newest, ...earlier].filter((one) => Date.parse(one.created_at) > nowMs - DAY_MS);
    groups.set(endpoint, known ? { ...known, newest } : { newest, count: recent.length, isAtLeast });
  }
  return [...groups.values()].toSorted((one, other) =>
    one.newest.execution_id < other.newest.execution_id ? 1 : -1,
  );
}

function failuresOf(hours: Buckets): number {
  return hours.reduce((sum, { states }) => sum + failuresIn(states), 0);
}

function failuresIn(states: Buckets[number]['states']): number {
  return FAILED_STATES.reduce((sum, state) => sum + (states[state] ?? 0), 0);
}
