import type { StepFile } from '../reference/template.ts';

/**
 * An action to do after a change is stored. A crash can repeat it (`pendingActions`), so each action takes effect once for
 * its step and attempt.
 */
export type RunAction =
  | StartStep
  | {
      readonly kind: 'schedule_retry';
      readonly step: string;
      readonly attempt: number;
      readonly atMs: number;
    }
  /** The step ends with `step_ended`, even if nothing had started. */
  | { readonly kind: 'cancel_step'; readonly step: string; readonly attempt: number }
  | { readonly kind: 'end_run'; readonly state: 'succeeded' | 'failed' | 'cancelled' };

/**
 * The call of an endpoint, with values as a caller would send them. They are bound as data (decision 6, two modes of a
 * command).
 */
export interface StartStep {
  readonly kind: 'start_step';
  readonly step: string;
  readonly attempt: number;
  readonly endpoint: string;
  readonly args: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** The arguments that get a file of an earlier step. */
  readonly files?: Readonly<Record<string, LeftFile>>;
  readonly agentName?: string;
  readonly timeoutSec?: number;
}

/** A file of a step that has ended. */
export interface LeftFile extends StepFile {
  /** Undefined: the step ended without an execution. */
  readonly execution?: string;
}
