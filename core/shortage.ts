/** A resource that a machine can run out of: file descriptors, processes, room on a disk. */
export type Shortage = 'descriptors' | 'processes' | 'disk';

/** EAGAIN is missing: it means processes only where a fork answers it, so the place that forks reads it. */
const BY_CODE: ReadonlyMap<unknown, Shortage> = new Map([
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOSPC', 'disk'],
  ['EDQUOT', 'disk'],
]);

/** The resource that had run out when this error was made, also where another error carries it as its cause; undefined: none. */
export function shortageOf(error: unknown): Shortage | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const shortage = BY_CODE.get((at as { readonly code?: unknown }).code);
    if (shortage !== undefined) return shortage;
  }
  return undefined;
}
