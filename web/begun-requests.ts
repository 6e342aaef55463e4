import { actingHeaders } from './account/chosen-workspace.ts';

/** The path of the live stream. */
export const EVENTS_PATH = '/events';

/** A header that no page of another site can add: the hub demands it where a GET starts a command. */
export const OWN_PAGE = { 'X-Requested-With': 'svc' };

/** Stands for the last segment of the address of the page. */
export const LAST = 'LAST_SEGMENT';

/** The addresses of the first requests of each page (`first-reads.ts`). */
export interface FirstReads {
  readonly frame: readonly string[];
  /** By view: `/executions/$`, where `$` stands for one segment. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
  /** The pages that read something else when this browser shows the column of arguments. */
  readonly pagesWithArguments: Readonly<Record<string, readonly string[]>>;
}

/** The addresses that a page reads first; a query, such as filters, may change what the page itself reads. */
export function firstReads(
  { frame, pages, pagesWithArguments }: FirstReads,
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  hasArguments: boolean,
): readonly string[] {
  const view = pathname.replace(/^\/dashboard/, '').replace(/\/$/, '') || '/';
  const last = view.slice(view.lastIndexOf('/') + 1);
  const known = hasArguments ? { ...pages, ...pagesWithArguments } : pages;
  const page = search === '' ? (known[view] ?? known[view.replace(/[^/]+$/, '$')] ?? []) : [];
  return [...frame, ...page.map((address) => address.replace(LAST, () => last))];
}

/** A request that was begun before the scripts of the page were there. */
export interface BegunRequest {
  readonly response: Promise<Response>;
  readonly abort: AbortController;
  /** For the live stream: it was open when the reads began, so that it has every change that they lack. */
  readonly isOpenBeforeReads?: boolean;
}

/** Requests that are begun in one task: each takes a phone some milliseconds. */
const AT_ONCE = 3;

/** A proxy may hold the live stream back: the reads then begin without it. */
const MAX_STREAM_WAIT_MS = 500;

/**
 * Begins these reads with the session of the browser, for the selected workspace, so that the data arrives while the scripts do. The
 * live stream is opened before them, so that no change is missed. Resolves when all are begun.
 */
export async function beginRequests(reads: readonly string[]): Promise<void> {
  const stream = begin(EVENTS_PATH, { Accept: 'text/event-stream' });
  const begun = new Map<string, BegunRequest>([
    [EVENTS_PATH, { ...stream, isOpenBeforeReads: await isOpen(stream) }],
  ]);
  globalThis.svcBegun = begun;
  for (const [index, path] of reads.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
    begun.set(path, begin(path, { Accept: 'application/json', ...OWN_PAGE }));
  }
}

function begin(path: string, headers: Readonly<Record<string, string>>): BegunRequest {
  const abort = new AbortController();
  const response = fetch(path, { headers: { ...headers, ...actingHeaders() }, signal: abort.signal });
  // The request that takes it handles the failure.
  response.catch(() => undefined);
  return { response, abort };
}

/** The hub begins its response when it has subscribed to the changes. */
async function isOpen({ response }: BegunRequest): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, MAX_STREAM_WAIT_MS, false));
  const opened = response.then(
    ({ ok }) => ok,
    () => false,
  );
  return await Promise.race([opened, late]);
}

/** The begun request for a path, which is taken once; undefined: there is none. */
export function takeBegun(path: string): BegunRequest | undefined {
  const begun = globalThis.svcBegun?.get(path);
  globalThis.svcBegun?.delete(path);
  return begun;
}

/** Aborts the requests that the page has not taken: data that is asked for later must be newer. */
export function dropBegun(): void {
  for (const { abort } of globalThis.svcBegun?.values() ?? []) abort.abort();
  globalThis.svcBegun = undefined;
}
