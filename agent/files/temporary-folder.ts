import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^svc-files-(\d+)-[0-9a-f]{32}$/;

/**
 * The name of a folder for the files of one process, which makes it when it needs it. Removes what processes of this user left that were
 * killed.
 */
export function temporaryFolder(): { readonly path: string; remove(): Promise<void> } {
  const parent = tmpdir();
  removeLeft(parent);
  const path = join(parent, `svc-files-${process.pid}-${crypto.randomUUID().replaceAll('-', '')}`);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder stays if another process has the number of the one that made it. */
function removeLeft(parent: string): void {
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
