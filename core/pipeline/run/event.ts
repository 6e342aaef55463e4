import type { JsonValue } from '../reference/json-value.ts';
import type { StepOutcome } from './state.ts';

/**
 * Something that happened to a run. An event may be late, repeated, or missing if a later one contains the same
 * information.
 */
export type RunEvent = { readonly atMs: number } & (
  | { readonly kind: 'started' }
  /** The command runs, possibly after an approval. */
  | { readonly kind: 'step_started'; readonly step: string; readonly attempt: number }
  /** The execution waits for an approval (reference 3.1). */
  | { readonly kind: 'step_waiting'; readonly step: string; readonly attempt: number }
  | StepEnded
  /** The time of a `schedule_retry` has come. `attempt` is the attempt to start. */
  | { readonly kind: 'retry_due'; readonly step: string; readonly attempt: number }
  | { readonly kind: 'cancel_asked' }
);

/** The execution of a step reached a final state. If it was never created, the outcome is `cancelled` or `rejected`. */
export interface StepEnded {
  readonly kind: 'step_ended';
  readonly step: string;
  readonly attempt: number;
  readonly outcome: StepOutcome;
  readonly exitCode?: number;
  readonly output?: string;
  readonly data?: JsonValue;
  readonly error?: string;
  /** The id of the execution, if later steps use its artifacts. */
  readonly execution?: string;
  /** A further attempt would have the same outcome. */
  readonly isFinal?: true;
}
