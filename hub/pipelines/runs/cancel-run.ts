import type { Clock } from '../../platform/world.ts';
import type { RunDriver } from './run-driver.ts';
import type { PipelineRun } from './run-ports.ts';
import type { PipelineRuns } from './store/run-store.ts';

type CancelDeps = { readonly clock: Clock } & { readonly runs: PipelineRuns } & {
  readonly driver: Pick<RunDriver, 'cancel'>;
};

/**
 * Requests the cancellation of a run: cancels running steps, stops waiting for approvals and retries, and skips the rest.
 * The run ends with its last step. A run of another hub gets the request within a second.
 *
 * False when the run has ended already.
 */
export async function cancelRun(
  { runs, clock, driver }: CancelDeps,
  { id }: Pick<PipelineRun, 'id'>,
): Promise<boolean> {
  // Stored first: if this hub dies now, the next one ends the run.
  if (!(await runs.askCancel(id, clock.nowMs()))) return false;
  driver.cancel(id);
  return true;
}
