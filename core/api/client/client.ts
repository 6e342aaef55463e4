import { ROUTES } from '../routes.ts';
import { type ApiClient, clientOf, type Send } from './client-of.ts';

/** A client of the API, typed by the table of routes; `send` is its only I/O. */
export function createApiClient(send: Send): ApiClient {
  return clientOf(ROUTES, send);
}

/** The items of a list, read page by page as they are consumed. */
export async function* allItems<Item>(
  page: (cursor: string | undefined) => Promise<{
    readonly items: readonly Item[];
    readonly next_cursor: string | null;
  }>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await page(cursor);
    yield* items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
