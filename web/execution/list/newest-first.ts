/** A page of a list that has the newest first; ids grow with time (UUIDv7). */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  /** The last page that was read reached the bound of one read. */
  readonly partial?: true | undefined;
}

type Identified = { readonly execution_id: string };

/**
 * What is known of a list after its first page was read anew: a list of a hundred thousand is not read again from the top to
 * where somebody is.
 *
 * The first page holds in its range, where what is gone is gone. What was read behind it stays, unless so much came that
 * there may be something in between: then all begins anew.
 */
export function withFirstPage<Item extends Identified>(
  known: ListPage<Item> | undefined,
  first: ListPage<Item>,
): ListPage<Item> {
  const last = first.items.at(-1);
  if (known === undefined || last === undefined || first.next_cursor === null) return first;
  const behind = known.items.filter(({ execution_id: id }) => id < last.execution_id);
  const newestKnown = known.items[0];
  const isJoined = newestKnown !== undefined && newestKnown.execution_id >= last.execution_id;
  if (!isJoined || behind.length === 0) return first;
  return { ...known, items: [...first.items, ...behind] };
}

/** What is known after the next page was read. */
export function withNextPage<Item extends Identified>(
  known: ListPage<Item>,
  next: ListPage<Item>,
): ListPage<Item> {
  const last = known.items.at(-1)?.execution_id;
  const items = last === undefined ? next.items : next.items.filter(({ execution_id: id }) => id < last);
  return { ...next, items: [...known.items, ...items] };
}
