import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { mount, unmount } from './mounting.ts';

/** What is kept for one container takes some forty kilobytes. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** See statfs(2). */
const TMPFS_MAGIC = 0x01021994;

/**
 * In memory, as `/run` is on most machines: a few small files are written and removed for each container, which on a disk
 * takes longer than its start. Whoever is root in a container is nobody here, and has to pass on the way to what is mounted
 * below.
 */
export async function makeStateFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const options = ['-t', 'tmpfs', '-o', `size=${MEMORY_BYTES},mode=0711,nosuid,nodev`];
  if (statfsSync(folder).type !== TMPFS_MAGIC) await mount(options, 'tmpfs', folder);
  chmodSync(folder, 0o711);
}

/**
 * With the empty ones of these folders in it. One by one: a file system that is still mounted must never be cleared with
 * them.
 */
export async function removeStateFolder(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) removeFolder(join(folder, name));
  if (!existsSync(folder) || readdirSync(folder).length > 0) return;
  await unmount(folder);
  removeFolder(folder);
}

/** Unless it is not there, or something is in it. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY') throw error;
  }
}
