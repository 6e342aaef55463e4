import { WORKER_ARGUMENT } from './runner/transform/worker-process.ts';

/** Whether another `svc` started this compiled one to transform output. */
export function isTransformWorker(argv: readonly string[]): boolean {
  return argv[0] === WORKER_ARGUMENT;
}

/** Runs jobs of the parent process until that process ends. */
export async function runTransformWorker(): Promise<void> {
  await import('./runner/transform/transform-worker.ts');
}
