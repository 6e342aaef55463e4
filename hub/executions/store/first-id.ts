/** The lowest id of an execution created at this time: ids begin with 48 bits of epoch milliseconds (RFC 9562). */
export function firstIdOf(atMs: number): string {
  const hex = Math.max(0, atMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The creation time in such an id. */
export function timeOfId(id: string): number {
  return Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16);
}
