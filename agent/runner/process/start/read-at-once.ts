import type { Source } from './pipes.ts';

/** More than a pipe holds of what the command itself wrote; what is beyond it comes from somebody who still writes. */
const OWN_BYTES_AT_MOST = 1024 * 1024;

/**
 * Reads what is in the pipe of a command that has exited. True when that was all of it: false when somebody else holds the
 * pipe open, or it cannot be read like this.
 *
 * For a short command this is half of all the work of running it: a stream needs two turns of the loop and three threads.
 */
export async function readAtOnce(
  { atOnce }: Source,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | undefined,
): Promise<boolean> {
  if (atOnce === undefined) return false;
  for (let bytes = 0; bytes < OWN_BYTES_AT_MOST; ) {
    const found = atOnce.look();
    if (found !== 'bytes') return found === 'end';
    const chunk = atOnce.read();
    if (chunk.length === 0) return true;
    bytes += chunk.length;
    const taken = take(chunk);
    if (taken !== undefined) await taken;
  }
  return false;
}
