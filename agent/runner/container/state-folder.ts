import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { mount, unmount } from './mounting.ts';

/** The state of one container takes about forty kilobytes. */
const MEMORY_BYTES = 256 * 1024 * 1024;
/** See statfs(2). */
const TMPFS_MAGIC = 0x01021994;

/**
 * A folder in memory, such as `/run` on most machines: each container writes and removes a few small files, which would
 * take longer on a disk than the start itself. Container root is an unprivileged user here and must be able to traverse the
 * path to the mounts below.
 */
export async function makeStateFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const options = ['-t', 'tmpfs', '-o', `size=${MEMORY_BYTES},mode=0711,nosuid,nodev`];
  if (statfsSync(folder).type !== TMPFS_MAGIC) await mount(options, 'tmpfs', folder);
  chmodSync(folder, 0o711);
}

/**
 * Also removes the empty ones of these subfolders, one by one: a mounted file system must never be deleted with them.
 */
export async function removeStateFolder(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) removeFolder(join(folder, name));
  if (!existsSync(folder) || readdirSync(folder).length > 0) return;
  await unmount(folder);
  removeFolder(folder);
}

/** Removes the folder if it exists and is empty. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY') throw error;
  }
}
