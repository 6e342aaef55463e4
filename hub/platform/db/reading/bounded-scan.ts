import { READ_BOUND, type ReadBound, type Reader } from '../database.ts';
import type { Query } from '../unit/precompile.ts';
import type { Key, Walk } from './walk.ts';

/** A way to find the rows of a filter: its walks together visit every row that matches. */
export type Way<K extends Key> = readonly Walk<K>[];

export interface Found<K extends Key> {
  /** In descending order. */
  readonly keys: readonly K[];
  /** The key below which the next page begins; undefined: there is none. */
  readonly next: K | undefined;
  /** The bound was reached before the page was full. */
  readonly isPartial: boolean;
}

/**
 * The size of the first part of a walk. It is small, because most filters match often, and the cost of a row is not known
 * yet.
 */
const FIRST_PIECE = 100;
const LARGEST_PIECE = 1_000;
/** The numbers of rows after which ways are compared, before the bound. */
const COMPARED_AFTER = [100, 1_000];

/**
 * Finds the greatest keys that match a filter without an index, and stops at the bound (decision 20, asynchronous calls and
 * records).
 */
export async function boundedScan<K extends Key>(
  reader: Reader,
  ways: readonly Way<K>[],
  { before, limit, bound = READ_BOUND }: { before: K | undefined; limit: number; bound?: ReadBound },
): Promise<Found<K>> {
  const untilMs = performance.now() + bound.ms;
  const way = await shortestOf(reader, ways, before, bound.rows);
  const beganAtMs = performance.now();
  // Rows that are not in memory take a hundred times as long, so the number of rows depends on the remaining time.
  const nextCount = (count: number, scanned: number) => {
    const nowMs = performance.now();
    const inTime = ((untilMs - nowMs) * scanned) / Math.max(0.1, nowMs - beganAtMs);
    return Math.max(1, Math.min(2 * count, LARGEST_PIECE, Math.floor(inTime)));
  };
  const keys: K[] = [];
  let at = before;
  for (let scanned = 0, count = FIRST_PIECE; ; count = nextCount(count, scanned)) {
    count = Math.min(count, bound.rows - scanned);
    const piece = await nextPiece(reader, way, at, count);
    keys.push(...piece.keys);
    scanned += count;
    at = piece.end;
    // One row more than requested shows that there is another page.
    if (keys.length > limit) return { keys: keys.slice(0, limit), next: keys[limit - 1], isPartial: false };
    const isCut = scanned >= bound.rows || performance.now() > untilMs;
    if (at === undefined || isCut)
      return { keys, next: at, isPartial: at !== undefined && keys.length < limit };
  }
}

/**
 * The way that ends first, or else the one that gets furthest within the bound. Ways are compared after few rows first: of two ways
 * that end within the bound, one may have no row and the other thousands.
 */
async function shortestOf<K extends Key>(
  reader: Reader,
  ways: readonly Way<K>[],
  before: K | undefined,
  bound: number,
): Promise<Way<K>> {
  const [first] = ways;
  if (first === undefined) throw new Error('a filter without a way to find its rows');
  if (ways.length === 1) return first;
  const endsAfter = (count: number) => Promise.all(ways.map((way) => endOf(reader, way, before, count)));
  for (const count of COMPARED_AFTER.filter((rows) => rows < bound)) {
    const ended = ways[(await endsAfter(count)).indexOf(undefined)];
    if (ended !== undefined) return ended;
  }
  const ends = await endsAfter(bound);
  let best = 0;
  for (const [index, end] of ends.entries()) {
    const reached = ends[best];
    if (reached !== undefined && (end === undefined || end < reached)) best = index;
  }
  return ways[best] ?? first;
}

/** The walks advance together: no walk reads below the end of another. */
async function nextPiece<K extends Key>(reader: Reader, way: Way<K>, at: K | undefined, count: number) {
  const [end, ...matches] = await Promise.all([
    endOf(reader, way, at, count),
    ...way.map((walk) => keysOf(reader, walk.matches(at, count))),
  ]);
  const keys = matches.flat().filter((key) => end === undefined || key >= end);
  return { keys: keys.sort((a, b) => (a < b ? 1 : -1)), end };
}

/** The greatest end of all walks; undefined when every walk has reached its last row. */
async function endOf<K extends Key>(reader: Reader, way: Way<K>, at: K | undefined, count: number) {
  const ends = await Promise.all(way.map((walk) => keysOf(reader, walk.last(at, count))));
  return ends
    .flat()
    .reduce<K | undefined>((most, end) => (most === undefined || end > most ? end : most), undefined);
}

async function keysOf<K extends Key>(reader: Reader, query: Query<{ key: K }>): Promise<K[]> {
  return (await reader.rows(query)).map(({ key }) => key);
}
