import { EXECUTION_STATES, type ExecutionState } from '@svc/core/execution/state';
import type { WireExecution } from '../wire-execution.ts';
import { TRIGGER_WORDS } from './execution-words.ts';
import type { ExecutionQuery } from './use-executions.ts';

type Trigger = WireExecution['trigger'];

/** The filters in the query of the list. */
export interface ExecutionSearch {
  readonly endpoint?: string;
  readonly status?: ExecutionState;
  readonly trigger?: Trigger;
}

/** Reads the filters and ignores invalid values. */
export function readExecutionSearch(search: Readonly<Record<string, unknown>>): ExecutionSearch {
  const { endpoint, status, trigger } = search;
  return {
    ...(typeof endpoint === 'string' && endpoint !== '' && { endpoint }),
    ...(isState(status) && { status }),
    ...(isTrigger(trigger) && { trigger }),
  };
}

/** The filters as the API takes them. */
export function queryOf({ status, ...others }: ExecutionSearch): ExecutionQuery {
  return { ...others, ...(status && { status: [status] }) };
}

function isState(value: unknown): value is ExecutionState {
  return (EXECUTION_STATES as readonly unknown[]).includes(value);
}

function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && Object.hasOwn(TRIGGER_WORDS, value);
}
