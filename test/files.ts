import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Settles when there is something at this path. */
export async function untilExists(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (existsSync(path)) resolve();
  };
  const watcher = watch(dirname(path), look);
  // Once the watch has begun, so that nothing happens unseen in between.
  look();
  await promise;
  watcher.close();
}
