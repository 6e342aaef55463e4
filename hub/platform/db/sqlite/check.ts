import { unavailable } from '../unavailable.ts';
import type { CheckOrder, CheckReport } from './check-worker.ts';
import { workerUrl } from './worker-url.ts';

/** Checks a file for damage on its own thread, while others have it open; returns one sentence for each problem. */
export async function checkSqlite(order: CheckOrder, signal?: AbortSignal): Promise<readonly string[]> {
  const worker = new Worker(workerUrl('hub/platform/db/sqlite/check-worker.ts'));
  const { promise, resolve } = Promise.withResolvers<CheckReport>();
  const stop = () => resolve({ failure: 'the check was stopped' });
  signal?.addEventListener('abort', stop);
  worker.onmessage = ({ data }: MessageEvent<CheckReport>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ failure: event.message });
  };
  worker.postMessage(order);
  try {
    const report = await promise;
    if ('failure' in report) throw unavailable('read', report.failure);
    return report.findings;
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.terminate();
  }
}
