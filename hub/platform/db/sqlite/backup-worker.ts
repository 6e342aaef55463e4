import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDamage } from '../damage.ts';
import { reasonOf } from '../unavailable.ts';
import { checkFile, createPrivateFile, lowerPriority, openForReading } from './connection.ts';
import { copyDatabase } from './copy-database.ts';

declare const self: Worker;

/** The entry of the thread that makes one backup. */
export interface BackupOrder {
  readonly file: string;
  readonly toFile: string;
}

export interface BackupReport {
  readonly failure?: string;
  /** The database file, or its copy. */
  readonly isDamaged?: boolean;
}

const BUSY_TIMEOUT_MS = 10_000;

lowerPriority();

self.onmessage = ({ data }: MessageEvent<BackupOrder>) => {
  self.postMessage(backup(data));
};

/** The copy gets its name when it is complete, checked and on the disk. */
function backup({ file, toFile }: BackupOrder): BackupReport {
  const partial = `${toFile}.partial`;
  try {
    rmSync(partial, { force: true });
    createPrivateFile(partial);
    copyDatabase(file, partial, BUSY_TIMEOUT_MS);
    const [finding] = findingsIn(partial);
    if (finding !== undefined) {
      rmSync(partial, { force: true });
      return { failure: `the copy is damaged, and was removed: ${finding}`, isDamaged: true };
    }
    sync(partial);
    renameSync(partial, toFile);
    sync(dirname(toFile));
    return {};
  } catch (error) {
    rmSync(partial, { force: true });
    return { failure: reasonOf(error), isDamaged: isDamage(error) };
  }
}

function findingsIn(file: string): readonly string[] {
  using database = openForReading(file, BUSY_TIMEOUT_MS);
  return checkFile(database, 'quick');
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
