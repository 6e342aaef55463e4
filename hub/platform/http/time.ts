/** A time for the API: RFC 3339 in UTC; null for none. */
export function time(atMs: number): string;
export function time(atMs: number | undefined): string | null;
export function time(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
