import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../unavailable.ts';
import { createPrivateFile, openForReading } from './connection.ts';

declare const self: Worker;

/** The entry of the thread that makes one backup. */
export interface BackupOrder {
  readonly file: string;
  readonly toFile: string;
}

export interface BackupReport {
  readonly failure?: string;
}

const BUSY_TIMEOUT_MS = 10_000;

self.onmessage = ({ data }: MessageEvent<BackupOrder>) => {
  self.postMessage(backup(data));
};

/** The copy has its name only once it is whole and on the disk. */
function backup({ file, toFile }: BackupOrder): BackupReport {
  const partial = `${toFile}.partial`;
  try {
    rmSync(partial, { force: true });
    createPrivateFile(partial);
    const database = openForReading(file, BUSY_TIMEOUT_MS);
    database.query('VACUUM INTO ?').run(partial);
    database.close();
    sync(partial);
    renameSync(partial, toFile);
    sync(dirname(toFile));
    return {};
  } catch (error) {
    rmSync(partial, { force: true });
    return { failure: reasonOf(error) };
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
