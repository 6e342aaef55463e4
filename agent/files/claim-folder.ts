import { chmodSync, lstatSync, mkdirSync } from 'node:fs';

const WRITABLE_BY_OTHERS = 0o022;

/** Makes a folder if it is not there, and gives it its mode. Throws unless only this user can change it. */
export function claimFolder(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true, mode });
  const facts = lstatSync(folder);
  const isOwn = facts.isDirectory() && facts.uid === process.geteuid?.();
  if (!isOwn || (facts.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new Error(`${folder} is not a folder that only this user can change`);
  chmodSync(folder, mode);
}
