import type { WireEnding } from '../protocol/frame.ts';
import { REFUSAL_CODES, type Refusal, type RefusalCode, refuse } from '../refusal.ts';
import type { ExecutionState, MissedReason, Reason, RejectionReason } from './state.ts';

/** The end of a stored execution. */
export interface Ended {
  readonly state: Extract<
    ExecutionState,
    'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost' | 'rejected' | 'missed'
  >;
  readonly reason: Reason | undefined;
  readonly error: string | undefined;
  readonly errorCode: RefusalCode | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly data: string | undefined;
}

const NOTHING = {
  reason: undefined,
  error: undefined,
  errorCode: undefined,
  exitCode: undefined,
  durationMs: undefined,
  data: undefined,
} as const;

/**
 * The record of an ending (decision 17, exit codes and failures, and decision 24, states and takeover); `data` is the JSON
 * of a transform.
 */
export function endedBy(ending: WireEnding, timeoutSec: number, data?: string): Ended {
  switch (ending.kind) {
    case 'exited':
      return exited(ending, data);
    case 'timed_out': {
      const error = `command timed out after ${timeoutSec} seconds`;
      return { ...NOTHING, state: 'timed_out', durationMs: ending.duration_ms, ...failure('timeout', error) };
    }
    case 'cancelled': {
      const { cut } = ending;
      const failed =
        cut === undefined
          ? failure('cancelled', 'the command was cancelled')
          : failure(refusedCode(cut.code), cut.message);
      return { ...NOTHING, state: 'cancelled', durationMs: ending.duration_ms, ...failed };
    }
    case 'not_started': {
      const error = `the command could not be started: ${ending.message}`;
      return { ...NOTHING, state: 'failed', ...failure('spawn_failed', error) };
    }
    case 'lost':
      return lostBecause(ending.message);
    case 'refused':
      return rejectedBecause('refused', refusedCode(ending.code), ending.message);
  }
}

export function lostBecause(message: string): Ended {
  return { ...NOTHING, state: 'lost', ...failure('lost', message) };
}

export function rejectedBecause(reason: RejectionReason, code: RefusalCode, message: string): Ended {
  return { ...NOTHING, state: 'rejected', reason, ...failure(code, message) };
}

/** A fire of a schedule that did not start (decision 37, schedules). */
export function missedBecause(reason: MissedReason, message: string): Ended {
  return { ...NOTHING, state: 'missed', reason, ...failure(MISSED_CODES[reason], message) };
}

const MISSED_CODES = {
  agent_offline: 'agent_offline',
  hub_down: 'unavailable',
  quota: 'quota_exceeded',
  overlap: 'concurrency_limited',
} as const satisfies Record<MissedReason, RefusalCode>;

export function cancelledBeforeStart(): Ended {
  return { ...NOTHING, state: 'cancelled', ...failure('cancelled', 'it was cancelled before it started') };
}

function exited(ending: Extract<WireEnding, { kind: 'exited' }>, data: string | undefined): Ended {
  const { exit_code: exitCode, duration_ms: durationMs, transformed } = ending;
  const result = { ...NOTHING, exitCode, durationMs, data: transformed?.kind === 'data' ? data : undefined };
  if (transformed?.kind === 'failed') {
    const error = `the output could not be transformed: ${transformed.reason}`;
    return { ...result, state: 'failed', ...failure('transform_failed', error) };
  }
  return { ...result, state: exitCode === 0 ? 'succeeded' : 'failed' };
}

function failure(errorCode: RefusalCode, error: string): { errorCode: RefusalCode; error: string } {
  return { errorCode, error };
}

/** An agent may be newer than the hub: a reason that the hub does not know is still a refusal. */
function refusedCode(reason: string | undefined): RefusalCode {
  return (REFUSAL_CODES as readonly string[]).includes(reason ?? '')
    ? (reason as RefusalCode)
    : 'agent_refused';
}

/** A result: an exit code, and output or data (decision 17, exit codes and failures). */
export interface Result {
  readonly kind: 'result';
  readonly exitCode: number;
  readonly durationMs: number;
  readonly data: string | undefined;
}

/** The outcome of an execution for its caller: the result, or why there is none. */
export type ExecutionOutcome = Result | { readonly kind: 'failure'; readonly refusal: Refusal };

/** Restores the outcome for the caller from the record; `state` is a final one. */
export function outcomeOf(
  ended: Omit<Ended, 'state' | 'errorCode'> & { readonly errorCode: string | undefined },
): ExecutionOutcome {
  const { error, errorCode, exitCode, durationMs, data } = ended;
  if (errorCode === undefined && exitCode !== undefined)
    return { kind: 'result', exitCode, durationMs: durationMs ?? 0, data };
  return { kind: 'failure', refusal: refuse(refusedCode(errorCode), error ?? 'it did not run') };
}
