import type { NodeRecord, RunHead } from './state.ts';

/**
 * The outcome for the caller of a run: an exit code, or why there is none (decision 17, exit codes and failures, and
 * decision 43, calling a pipeline).
 */
export type RunOutcome =
  | { readonly kind: 'result'; readonly exitCode: number; readonly step?: string }
  | { readonly kind: 'failure'; readonly error: string; readonly step?: string };

/**
 * As with a call of one endpoint, an exit code other than 0 is a result: that of the step that stopped the run.
 *
 * @param stopped the record of the step in `stoppedBy`
 */
export function runOutcome(
  { state, stoppedBy }: Pick<RunHead, 'state' | 'stoppedBy'>,
  stopped: NodeRecord | undefined,
): RunOutcome {
  if (state === 'succeeded') return { kind: 'result', exitCode: 0 };
  if (state === 'cancelled') return { kind: 'failure', error: 'the run was cancelled' };
  if (stoppedBy === undefined) return { kind: 'failure', error: 'the run failed' };
  const { outcome, error, result } = stopped ?? {};
  const exitCode = result?.exitCode;
  if (outcome === 'failed' && error === undefined && exitCode !== undefined)
    return { kind: 'result', exitCode, step: stoppedBy };
  return { kind: 'failure', error: `step "${stoppedBy}": ${error ?? `it was ${outcome}`}`, step: stoppedBy };
}

/** The code of a run that ended without an exit code. */
export function runFailureCode({ state }: Pick<RunHead, 'state'>): 'cancelled' | 'step_failed' {
  return state === 'cancelled' ? 'cancelled' : 'step_failed';
}
