import { existsSync } from 'node:fs';
import { refuse } from '@svc/core/refusal';
import { StoreDamaged } from '../damage.ts';
import type { BackupOrder, BackupReport } from './backup-worker.ts';
import { workerUrl } from './worker-url.ts';

/** Copies the file as of one moment, on its own thread, while reads and writes continue. */
export async function backupSqlite(file: string, toFile: string): Promise<void> {
  if (existsSync(toFile))
    throw refuse('invalid_argument', `${toFile} exists already: a backup overwrites nothing`);
  const { failure, isDamaged } = await runWorker({ file, toFile });
  if (isDamaged) throw new StoreDamaged(`no backup could be made: ${failure}`);
  if (failure !== undefined) throw refuse('unavailable', `no backup could be made: ${failure}`);
}

async function runWorker(order: BackupOrder): Promise<BackupReport> {
  const worker = new Worker(workerUrl('hub/platform/db/sqlite/backup-worker.ts'));
  const { promise, resolve } = Promise.withResolvers<BackupReport>();
  worker.onmessage = ({ data }: MessageEvent<BackupReport>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ failure: event.message });
  };
  worker.postMessage(order);
  try {
    return await promise;
  } finally {
    worker.terminate();
  }
}
