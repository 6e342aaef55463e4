/** A page of a list, the newest first. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | undefined;
  /** The bound of one read was reached: matching rows may follow behind the cursor, although the page is short. */
  readonly isPartial: boolean;
}
