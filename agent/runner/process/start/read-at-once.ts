import type { Source } from './pipes.ts';

/** More bytes of the command itself than a pipe holds; later bytes come from another writer. */
const OWN_BYTES_AT_MOST = 1024 * 1024;

/**
 * Reads the pipe of a command that has exited. True if that was all output; false if another process holds the pipe open or
 * it cannot be read this way.
 *
 * For a short command this saves half of all work: a stream needs two turns of the event loop and three threads.
 */
export async function readAtOnce(
  { atOnce }: Source,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | undefined,
): Promise<boolean> {
  if (atOnce === undefined) return false;
  for (let bytes = 0; bytes < OWN_BYTES_AT_MOST; ) {
    const found = atOnce.poll();
    if (found !== 'bytes') return found === 'end';
    const chunk = atOnce.read();
    if (chunk.length === 0) return true;
    bytes += chunk.length;
    const taken = take(chunk);
    if (taken !== undefined) await taken;
  }
  return false;
}
