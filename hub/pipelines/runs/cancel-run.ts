import type { Clock } from '../../platform/world.ts';
import type { RunDriver } from './run-driver.ts';
import type { PipelineRun } from './run-ports.ts';
import type { PipelineRuns } from './store/run-store.ts';

type CancelPorts = { readonly clock: Clock } & { readonly runs: PipelineRuns } & {
  readonly driver: Pick<RunDriver, 'cancel'>;
};

/**
 * Asks a run to end: what runs is told to, what waits for a person or for another try is not waited for, the rest is skipped.
 * It has ended when its last step has, which is what its record says; one of another hub is told within a second.
 *
 * False when it had ended already.
 */
export async function cancelRun(
  { runs, clock, driver }: CancelPorts,
  { id }: Pick<PipelineRun, 'id'>,
): Promise<boolean> {
  // On record first: should this hub die now, the next one ends it.
  if (!(await runs.askCancel(id, clock.nowMs()))) return false;
  driver.cancel(id);
  return true;
}
