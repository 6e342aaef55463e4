/** A page of a list, newest first; ids grow with time (UUIDv7). */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  /** The last read stopped at its limit before it had a whole page. */
  readonly partial?: true | undefined;
}

type Identified = { readonly execution_id: string };

/**
 * The loaded list after its first page was refetched, so that a refresh does not read a hundred thousand rows again.
 *
 * The new first page replaces its range; later pages stay. If the new page does not overlap the loaded rows, there may be a
 * gap, and the list starts over.
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

/** The loaded list with its next page. */
export function withNextPage<Item extends Identified>(
  known: ListPage<Item>,
  next: ListPage<Item>,
): ListPage<Item> {
  const last = known.items.at(-1)?.execution_id;
  const items = last === undefined ? next.items : next.items.filter(({ execution_id: id }) => id < last);
  return { ...next, items: [...known.items, ...items] };
}
