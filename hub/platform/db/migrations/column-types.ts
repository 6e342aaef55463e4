import type { RawBuilder } from 'kysely';

/** The types that the two databases spell differently. */
export interface ColumnTypes {
  /** Compared byte by byte: the same order everywhere, and the one of UUIDs. */
  readonly text: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** Ends the text of a table whose rows lie in the order of its key, where the database can: one tree less to write. */
  readonly clustered: RawBuilder<unknown>;
}
