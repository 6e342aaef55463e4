import { hasEnded } from '@svc/core/execution/state';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Clock } from '../platform/world.ts';
import { SPOOL_UPLOAD_MS } from './upload-pace.ts';

/**
 * Removes bodies that no execution waits for: of ended executions, and of uploads that never came on record because a hub died. The
 * signal stops it between two.
 */
export async function sweepSpool(
  {
    ledger,
    files,
    clock,
  }: {
    readonly ledger: Pick<ExecutionLedger, 'find'>;
    readonly files: FileStore;
    readonly clock: Pick<Clock, 'nowMs'>;
  },
  signal: AbortSignal,
): Promise<void> {
  for await (const executionId of files.executions()) {
    if (signal.aborted) return;
    const execution = await ledger.find(executionId);
    const isLeft =
      execution === undefined
        ? clock.nowMs() - madeAtMs(executionId) > 2 * SPOOL_UPLOAD_MS
        : hasEnded(execution.state);
    if (isLeft) await files.removeExecution(executionId);
  }
}

/** The time in a UUID of version 7. */
function madeAtMs(uuid: string): number {
  return Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
}
