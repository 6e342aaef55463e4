import { join } from 'node:path';
import { Lines } from '../lines.ts';

const CALLER = join(import.meta.dir, 'call-without-retries.py');

/** What callers without retries saw. */
export interface CallLoad {
  readonly calls: number;
  readonly longest_s: number;
  readonly failed: readonly string[];
}

/** Does some work while threads constantly call an endpoint whose output begins with `ran`. */
export async function underLoad(
  { url, key, threads }: { readonly url: string; readonly key: string; readonly threads: number },
  work: () => Promise<void>,
): Promise<CallLoad> {
  await using caller = Bun.spawn(['python3', CALLER, url, key, String(threads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = new Lines(caller.stdout);
  await said.find(/^called$/);
  await work();
  await caller.stdin.end();
  return JSON.parse(await said.find(/^\{/)) as CallLoad;
}
