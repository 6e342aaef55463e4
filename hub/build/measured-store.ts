import type { Clock } from '../platform/world.ts';
import { measuredLedger, measuredSchedules } from '../telemetry/measured-ports.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Store } from './create-store.ts';

/** The parts of a store at which it is seen what becomes of calls; they say how long they take. */
export function measuredStore({ figures, executions, steps }: Metrics, clock: Clock, store: Store) {
  return {
    ledger: measuredLedger(figures, executions, store.executions),
    approvals: store.approvals,
    schedules: measuredSchedules(figures, clock, store.schedules),
    runs: steps.measured(store.pipelineRuns),
  };
}
