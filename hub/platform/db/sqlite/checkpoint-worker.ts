import type { Database } from 'bun:sqlite';
import { reasonOf } from '../unavailable.ts';
import { openForWriting } from './connection.ts';

declare const self: Worker;

/** The entry of the thread that copies the log into the file. It holds no lock that a commit waits for. */
export interface CheckpointOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
}
export type ToCheckpointThread = CheckpointOptions | 'checkpoint' | 'close';
export interface CheckpointReport {
  /** Pages in the log that are not in the file yet. */
  readonly left: number;
  readonly failure?: string;
}

let options: CheckpointOptions | undefined;
let database: Database | undefined;

self.onmessage = ({ data }: MessageEvent<ToCheckpointThread>) => {
  if (data === 'checkpoint') self.postMessage(checkpoint());
  else if (data === 'close') {
    close();
    self.postMessage({ left: 0 } satisfies CheckpointReport);
  } else options = data;
};

function checkpoint(): CheckpointReport {
  try {
    if (options === undefined) throw new Error('a checkpoint before the file');
    database ??= openForWriting(options.file, options.busyTimeoutMs);
    const [row] = database
      .query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)')
      .all();
    return { left: row === undefined ? 0 : row.log - row.checkpointed };
  } catch (error) {
    close();
    return { left: 0, failure: reasonOf(error) };
  }
}

function close(): void {
  database?.close();
  database = undefined;
}
