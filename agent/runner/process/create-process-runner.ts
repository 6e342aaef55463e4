import { availableParallelism } from 'node:os';
import { LIMITS } from '@svc/core/plan/limits';
import type { Shortage } from '@svc/core/shortage';
import type { Transforms } from '../output/transform-result.ts';
import type { Runner } from '../runner.ts';
import { workerUrl } from '../worker-url.ts';
import { WorkerPool } from './pool/pool.ts';

export interface ProcessRunnerOptions {
  readonly transforms: Transforms;
  /** Threads that spawn; default: one per core. */
  readonly workers?: number;
  readonly killGraceMs?: number;
  readonly drainAfterExitMs?: number;
  /** Called if a thread died, which is a bug. Its commands end as `lost`, and another thread replaces it. */
  readonly onWorkerDeath?: (error: Error) => void;
  /** Called for each command that a shortage of this machine kept from running. */
  readonly onShortage?: (shortage: Shortage) => void;
  readonly startWorker?: () => Worker;
}

/** Runs commands as processes of this machine (decisions 12 and 16 to 18). */
export function createProcessRunner({
  transforms,
  workers = availableParallelism(),
  killGraceMs = LIMITS.killGraceMs,
  drainAfterExitMs = LIMITS.drainAfterExitMs,
  onWorkerDeath = (error) => console.error(error),
  onShortage = () => {},
  startWorker = () => new Worker(workerUrl('agent/runner/process/worker.ts')),
}: ProcessRunnerOptions): Runner {
  const graces = { killGraceMs, drainAfterExitMs };
  return new WorkerPool({ transforms, workers, graces, onWorkerDeath, onShortage, startWorker });
}
