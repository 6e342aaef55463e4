import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const SETTLES_WITHIN_MS = 60_000;
const POLL_MS = 10;
/** After this time without a change, no container is being created or removed. */
const SETTLED_AFTER_MS = 150;

/**
 * Settles when a host makes nothing ahead any more and has cleared up everything, so that this does not meet what is
 * measured next. Answers with how many containers wait.
 *
 * @param dataFolder of `hostContainers`
 */
async function untilAtRest(dataFolder: string): Promise<number> {
  const bundles = join('/run/svc-runner', instanceOf(dataFolder), 'bundles');
  const deadline = performance.now() + SETTLES_WITHIN_MS;
  let before = '';
  let sinceMs = performance.now();
  while (performance.now() < deadline) {
    const ids = readdirSync(bundles);
    const isMaking = ids.some((id) => !existsSync(join(bundles, id, 'pid')));
    const now = ids.join();
    if (isMaking || now !== before) sinceMs = performance.now();
    else if (performance.now() - sinceMs > SETTLED_AFTER_MS) return ids.length;
    before = now;
    await Bun.sleep(POLL_MS);
  }
  throw new Error('a host does not come to rest');
}

/** Comes to rest, and says whether all that may wait do. */
export async function isReady(dataFolder: string, maxWaiting: number): Promise<boolean> {
  return (await untilAtRest(dataFolder)) === maxWaiting;
}

/** As `hostContainers` calls a host. */
function instanceOf(dataFolder: string): string {
  return new Bun.CryptoHasher('sha256').update(dataFolder).digest('hex').slice(0, 12);
}
