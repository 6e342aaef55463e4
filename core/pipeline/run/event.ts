import type { JsonValue } from '../reference/json-value.ts';
import type { StepOutcome } from './state.ts';

/** Something that happened to a run. Every event may come late, twice, or not at all where a later one says as much. */
export type RunEvent = { readonly atMs: number } & (
  | { readonly kind: 'started' }
  /** Its command runs; also after an approval. */
  | { readonly kind: 'step_started'; readonly step: string; readonly attempt: number }
  /** It waits for an approval (reference 3.1). */
  | { readonly kind: 'step_waiting'; readonly step: string; readonly attempt: number }
  | StepEnded
  /** The time of a `schedule_retry` has come; `attempt` is the one to start. */
  | { readonly kind: 'retry_due'; readonly step: string; readonly attempt: number }
  | { readonly kind: 'cancel_asked' }
);

/** The execution of a step reached a final state; one that never came to be is `cancelled` or `rejected`. */
export interface StepEnded {
  readonly kind: 'step_ended';
  readonly step: string;
  readonly attempt: number;
  readonly outcome: StepOutcome;
  readonly exitCode?: number;
  readonly output?: string;
  readonly data?: JsonValue;
  readonly error?: string;
  /** Every further try would end in the same way. */
  readonly isFinal?: true;
}
