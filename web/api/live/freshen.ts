import type { LiveEventMessage } from '@svc/core/api/contract/news-schema';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { type Stale, staleAfter } from './stale-routes.ts';

/** Between two readings of the same: what changes a hundred times in a second is not read a hundred times. */
const REST_MS = 400;

/** Reads again what the events make old, as far as somebody looks at it; one reading after the other. */
export class Freshener {
  readonly #queries: QueryClient;
  #stale: Stale[] | 'all' = [];
  #isReading = false;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  take(event: LiveEventMessage): void {
    const stale = staleAfter(event);
    if (stale === undefined) this.#stale = 'all';
    else if (this.#stale !== 'all') this.#stale.push(...stale);
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#stale === 'all' || this.#stale.length > 0) {
      const stale = this.#stale;
      this.#stale = [];
      await this.#queries.invalidateQueries(
        stale === 'all' ? {} : { predicate: ({ queryKey }) => stale.some((one) => isAbout(queryKey, one)) },
      );
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    this.#isReading = false;
  }
}

/** Keys are `[route, kind, call]` (`read.ts`). */
function isAbout([route, , call]: QueryKey, stale: Stale): boolean {
  if (route !== stale.route) return false;
  const { parameters } = (call ?? {}) as { readonly parameters?: Readonly<Record<string, string>> };
  return stale.id === undefined || parameters === undefined || Object.values(parameters).includes(stale.id);
}
