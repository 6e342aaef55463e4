import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { refuse } from '@svc/core/refusal';
import { StoreDamaged } from '../damage.ts';
import type { BackupOrder, BackupReport } from './backup-worker.ts';
import { workerUrl } from './worker-url.ts';

/** In 5 ms the copy grows by about a megabyte: a commit of the hub waits for no more than that. */
const SYNC_EVERY_MS = 5;

/** Copies the file as of one moment, on a thread of its own; reads and writes go on meanwhile. */
export async function backupSqlite(file: string, toFile: string): Promise<void> {
  if (existsSync(toFile))
    throw refuse('invalid_argument', `${toFile} exists already: a backup overwrites nothing`);
  const { failure, isDamaged } = await runWorker({ file, toFile });
  if (isDamaged) throw new StoreDamaged(`no backup could be made: ${failure}`);
  if (failure !== undefined) throw refuse('unavailable', `no backup could be made: ${failure}`);
}

/**
 * Brings the copy to the disk as it grows. All at once at the end, gigabytes would stand before each commit of the hub, whose
 * own few bytes have to be on the disk before a call is answered (decision 62).
 */
function keepSynced(file: string): () => Promise<void> {
  let isOver = false;
  const syncing = (async () => {
    while (!isOver) {
      await Bun.sleep(SYNC_EVERY_MS);
      const handle = await open(file, 'r').catch(() => undefined);
      await handle?.datasync().catch(() => undefined);
      await handle?.close();
    }
  })();
  return () => {
    isOver = true;
    return syncing;
  };
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
  const stopSyncing = keepSynced(`${order.toFile}.partial`);
  try {
    return await promise;
  } finally {
    await stopSyncing();
    worker.terminate();
  }
}
