/**
 * One page of a short list that was loaded completely: things that members create, not records of calls (decision 47, answers of
 * the management API).
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, cursor = '' }: { readonly limit: number; readonly cursor?: string | undefined },
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  const rest = items.filter((item) => keyOf(item) > cursor).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next_cursor: last !== undefined && rest.length > limit ? keyOf(last) : null };
}

/** The end of a page in responses of routes with a scan limit (decision 62, reads apart from calls). */
export function endOfPage({ nextCursor, isPartial }: Omit<PageOfItems<never>, 'items'>) {
  return { next_cursor: nextCursor ?? null, ...(isPartial && { partial: true as const }) };
}

/** A page of a list, the newest first. */
export interface PageOfItems<Item> {
  readonly items: Item[];
  readonly nextCursor: string | undefined;
  /** The bound of one read was reached: matching rows may follow behind the cursor, although the page is short. */
  readonly isPartial: boolean;
}
