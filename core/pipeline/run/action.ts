/**
 * What is to be done once a change is stored. Each may be asked for again after a crash (`owedActions`), so each must be done
 * once for its step and attempt, however often it is asked for.
 */
export type Action =
  | StartStep
  | {
      readonly kind: 'schedule_retry';
      readonly step: string;
      readonly attempt: number;
      readonly atMs: number;
    }
  /** Ends in `step_ended` as well, also where nothing had started. */
  | { readonly kind: 'cancel_step'; readonly step: string; readonly attempt: number }
  | { readonly kind: 'end_run'; readonly state: 'succeeded' | 'failed' | 'cancelled' };

/** A call of an endpoint, its values as a caller would send them: they are bound as data (decision 6). */
export interface StartStep {
  readonly kind: 'start_step';
  readonly step: string;
  readonly attempt: number;
  readonly endpoint: string;
  readonly args: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly agentName?: string;
  readonly timeoutSec?: number;
}
