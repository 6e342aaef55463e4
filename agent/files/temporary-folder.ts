import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^svc-files-(\d+)-[0-9a-f]{32}$/;

/**
 * The path of a folder for the files of this process, which is made with the first file. Removes the folders that killed processes of
 * this user left.
 */
export function temporaryFolder(): { readonly path: string; remove(): Promise<void> } {
  const parent = tmpdir();
  removeLeftovers(parent);
  const path = join(parent, `svc-files-${process.pid}-${crypto.randomUUID().replaceAll('-', '')}`);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Keeps a folder whose process id belongs to a running process, even if that is another program. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME.exec(name)?.[1]);
    const path = join(parent, name);
    if (Number.isSafeInteger(pid) && isOwnFolder(path) && !isRunning(pid))
      rmSync(path, { recursive: true, force: true });
  }
}

function isOwnFolder(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts?.isDirectory() === true && facts.uid === process.geteuid?.();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
