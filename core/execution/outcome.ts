import { REFUSAL_CODES, type Refusal, type RefusalCode, refuse } from '../refusal.ts';
import type { ExecutionState, RejectionReason } from './state.ts';

/** How an agent says that an execution ended. Which fields are there depends on `kind`. */
export interface ReportedEnding {
  readonly kind: 'exited' | 'timed_out' | 'cancelled' | 'not_started' | 'lost' | 'refused';
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
  /** A word for programs: of `exited` only `transform_failed`. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** JSON text of a transform's result. */
  readonly data?: string | undefined;
}

/** The part of a stored execution that says how it ended. */
export interface Ended {
  readonly state: Extract<
    ExecutionState,
    'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost' | 'rejected'
  >;
  readonly reason: RejectionReason | undefined;
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

/** What is put on record of an ending (decisions 17 and 24). */
export function endedBy(ending: ReportedEnding, timeoutSec: number): Ended {
  const times = { ...NOTHING, durationMs: ending.durationMs };
  switch (ending.kind) {
    case 'exited':
      return exited(ending);
    case 'timed_out':
      return {
        ...times,
        state: 'timed_out',
        ...failure('timeout', `command timed out after ${timeoutSec} seconds`),
      };
    case 'cancelled':
      return { ...times, state: 'cancelled', ...failure('cancelled', 'the command was cancelled') };
    case 'not_started':
      return {
        ...times,
        state: 'failed',
        ...failure(
          'spawn_failed',
          `the command could not be started: ${ending.message ?? ending.reason ?? 'unknown'}`,
        ),
      };
    case 'lost':
      return lostBecause(ending.message ?? 'the agent lost the command');
    case 'refused':
      return {
        ...times,
        state: 'rejected',
        reason: 'refused',
        ...failure(refusedCode(ending.reason), ending.message ?? 'the agent refused to run it'),
      };
  }
}

export function lostBecause(message: string): Ended {
  return { ...NOTHING, state: 'lost', ...failure('lost', message) };
}

export function rejectedBecause(reason: RejectionReason, code: RefusalCode, message: string): Ended {
  return { ...NOTHING, state: 'rejected', reason, ...failure(code, message) };
}

export function cancelledBeforeStart(): Ended {
  return { ...NOTHING, state: 'cancelled', ...failure('cancelled', 'it was cancelled before it started') };
}

function exited({ exitCode = 0, durationMs, reason, message, data }: ReportedEnding): Ended {
  const result = { ...NOTHING, exitCode, durationMs, data };
  if (reason === 'transform_failed') {
    const error = `the output could not be transformed: ${message ?? 'no reason given'}`;
    return { ...result, state: 'failed', ...failure('transform_failed', error) };
  }
  return { ...result, state: exitCode === 0 ? 'succeeded' : 'failed' };
}

function failure(errorCode: RefusalCode, error: string): { errorCode: RefusalCode; error: string } {
  return { errorCode, error };
}

/** An agent may be newer than the hub: what it says that the hub has no word for is a refusal all the same. */
function refusedCode(reason: string | undefined): RefusalCode {
  return (REFUSAL_CODES as readonly string[]).includes(reason ?? '')
    ? (reason as RefusalCode)
    : 'agent_refused';
}

/** A result: an exit code, and output or data (decision 17). */
export interface Result {
  readonly kind: 'result';
  readonly exitCode: number;
  readonly durationMs: number;
  readonly data: string | undefined;
}

/** What a caller is told of an execution that ended: its result, or why there is none. */
export type Outcome = Result | { readonly kind: 'failure'; readonly refusal: Refusal };

/** Reads back from the record what the caller of an execution is told; `state` is one that has ended. */
export function outcomeOf(
  ended: Omit<Ended, 'state' | 'errorCode'> & { readonly errorCode: string | undefined },
): Outcome {
  const { error, errorCode, exitCode, durationMs, data } = ended;
  if (errorCode === undefined && exitCode !== undefined)
    return { kind: 'result', exitCode, durationMs: durationMs ?? 0, data };
  return { kind: 'failure', refusal: refuse(refusedCode(errorCode), error ?? 'it did not run') };
}
