import { refuse } from '@svc/core/refusal';

/** Where a list goes on, as callers see it: nothing to read anything into. */
export function cursorAfter(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/** The id after which it goes on. Throws `invalid_argument` for what was never a cursor. */
export function idOfCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (id === '' || cursorAfter(id) !== cursor)
    throw refuse('invalid_argument', `cursor "${cursor}": the next_cursor of an earlier answer expected`);
  return id;
}
