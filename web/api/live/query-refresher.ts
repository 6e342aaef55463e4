import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';
import type { Query, QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query';
import { type Stale, staleAfter } from './stale-routes.ts';

/** The pause between two refreshes: a record that changes a hundred times a second is not read a hundred times. */
const PAUSE_MS = 400;

/** Refetches the queries on screen that a live event makes stale. Each is read once at a time, so a slow one delays only itself. */
export class QueryRefresher {
  readonly #queries: QueryClient;
  #stale: Stale[] | 'all' = [];
  #isPausing = false;
  /** Queries that became stale while they were read, and are read again afterwards. */
  readonly #overtaken = new Set<Query>();

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  onEvent(event: LiveEventMessage): void {
    const stale = staleAfter(event);
    if (stale === undefined) this.#stale = 'all';
    else if (this.#stale !== 'all') this.#stale.push(...stale);
    if (!this.#isPausing) void this.#refetch();
  }

  async #refetch(): Promise<void> {
    this.#isPausing = true;
    while (this.#stale === 'all' || this.#stale.length > 0) {
      const stale = this.#stale;
      this.#stale = [];
      const filters: QueryFilters =
        stale === 'all' ? {} : { predicate: ({ queryKey }) => stale.some((one) => isAbout(queryKey, one)) };
      for (const query of this.#queries.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' }))
        void this.#readAgain(query);
      void this.#queries.invalidateQueries({ ...filters, fetchStatus: 'idle' });
      await pause();
    }
    this.#isPausing = false;
  }

  /** The answer may be older than the change, and the query would count as fresh with it. */
  async #readAgain(query: Query): Promise<void> {
    if (this.#overtaken.has(query)) return;
    this.#overtaken.add(query);
    await query.promise?.catch(() => undefined);
    this.#overtaken.delete(query);
    const { queryKey } = query;
    // A component that mounts now reads it at once.
    await this.#queries.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
    await pause();
    const wanted: QueryFilters = { queryKey, exact: true, type: 'active', stale: true };
    await this.#queries.refetchQueries(wanted, { cancelRefetch: false });
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Keys are `[route, kind, call]` (`read.ts`). */
function isAbout([route, , call]: QueryKey, stale: Stale): boolean {
  if (route !== stale.route) return false;
  const { parameters } = (call ?? {}) as { readonly parameters?: Readonly<Record<string, string>> };
  return stale.id === undefined || parameters === undefined || Object.values(parameters).includes(stale.id);
}
