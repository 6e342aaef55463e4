import { type Refusal, refuse } from '@svc/core/refusal';
import type { CheckedEnding } from '../../choices/check-choices.ts';
import type { Ending } from '../../runner/runner.ts';

/** A result: an exit code, and output or data (decision 17, exit codes and failures). */
export interface CallResult {
  readonly kind: 'result';
  readonly exitCode: number;
  readonly durationMs: number;
  /** The JSON text of a successful transform. */
  readonly data?: string;
}

/** The outcome of an execution for its caller: the result, or why there is none. */
export type ServedOutcome = CallResult | { readonly kind: 'failure'; readonly refusal: Refusal };

export function callOutcome(ending: CheckedEnding, timeoutSec: number): ServedOutcome {
  switch (ending.kind) {
    case 'exited':
      return exitedOutcome(ending);
    case 'timed_out':
      return failure(refuse('timeout', `command timed out after ${timeoutSec} seconds`));
    case 'cancelled':
      return failure(
        ending.cut === undefined
          ? refuse('cancelled', 'the command was cancelled')
          : refuse(ending.cut.code, ending.cut.message),
      );
    case 'unlisted':
      return failure(ending.refusal);
    case 'lost':
      return failure(refuse('lost', ending.message));
    case 'not_started': {
      const { message, reason } = ending;
      return failure(refuse('spawn_failed', `the command could not be started: ${message}`, { reason }));
    }
  }
}

function exitedOutcome({
  exitCode,
  durationMs,
  transformed,
}: Extract<Ending, { kind: 'exited' }>): ServedOutcome {
  if (transformed?.kind === 'failed') {
    const message = `the output could not be transformed: ${transformed.reason}`;
    return failure(refuse('transform_failed', message));
  }
  const result = { kind: 'result', exitCode, durationMs } as const;
  return transformed?.kind === 'data' ? { ...result, data: transformed.json } : result;
}

function failure(refusal: Refusal): ServedOutcome {
  return { kind: 'failure', refusal };
}
