import { WORKER_ARGUMENT } from './runner/transform/worker-process.ts';

/** Whether a compiled `svc` was started by another one to transform output, and not by a person. */
export function isTransformWorker(argv: readonly string[]): boolean {
  return argv[0] === WORKER_ARGUMENT;
}

/** Takes jobs from the parent process until that is gone. */
export async function runTransformWorker(): Promise<void> {
  await import('./runner/transform/transform-worker.ts');
}
