const LINE = /^:(\d{1,9})$/;

/** The line that a query such as `:120` goes to; undefined: the query names none. */
export function lineOfQuery(query: string): number | undefined {
  const line = LINE.exec(query)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Whether a query is text to search for, and not a line or the colon before its number. */
export function isSearch(query: string): boolean {
  return query !== '' && query !== ':' && lineOfQuery(query) === undefined;
}
