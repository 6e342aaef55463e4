import { STATS_BUCKETS } from '@svc/core/execution/execution-stats';
import { openLedger } from '../ledger.ts';
import type { Fleet } from './fleet.ts';

interface Row {
  readonly slug: string;
  readonly state: string;
  readonly created_at_ms: number;
}

interface Answer {
  readonly buckets: readonly { readonly from: string; readonly states: Readonly<Record<string, number>> }[];
}

/** Where answers of `GET /executions/stats` differ from the executions on record, of any hub, in sentences (decision 63, statistics). */
export async function wrongStatistics({ urls, ledger: location, start }: Fleet): Promise<string[]> {
  await using ledger = await openLedger(location);
  const rows = await ledger.rows<Row>('select slug, state, created_at_ms from executions');
  const times = rows.map(({ created_at_ms: atMs }) => atMs);
  const span = { from: isoTime(Math.min(...times)), until: isoTime(Math.max(...times) + 1) };
  const wrong: string[] = [];
  for (const url of urls)
    for (const slug of [undefined, ...new Set(rows.map((row) => row.slug))])
      for (const bucket of ['hour', 'day'] as const) {
        const query = new URLSearchParams({
          ...span,
          bucket,
          ...(slug === undefined ? {} : { endpoint: slug }),
        });
        const path = `/executions/stats?${query}`;
        const headers = { authorization: `Bearer ${start.accessToken}` };
        const response = await fetch(`${url}${path}`, { headers, keepalive: false });
        const text = await response.text();
        const said = response.ok ? countsIn(JSON.parse(text) as Answer) : text;
        const own = slug === undefined ? rows : rows.filter((row) => row.slug === slug);
        const expected = countsOf(own, STATS_BUCKETS[bucket]);
        if (said !== expected) wrong.push(`${path} says\n${said}\nand on record are\n${expected}`);
      }
  return wrong;
}

/** One line for each state of a bucket. */
function countsIn({ buckets }: Answer): string {
  return linesOf(
    buckets.flatMap(({ from, states }) =>
      Object.entries(states).map(([state, count]) => [`${from} ${state}`, count] as const),
    ),
  );
}

function countsOf(rows: readonly Row[], bucketMs: number): string {
  const counts = new Map<string, number>();
  for (const { state, created_at_ms: atMs } of rows) {
    const key = `${isoTime(atMs - (atMs % bucketMs))} ${state}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return linesOf([...counts]);
}

function linesOf(counts: readonly (readonly [key: string, count: number])[]): string {
  return counts
    .map(([key, count]) => `${key} ${count}`)
    .toSorted()
    .join('\n');
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
