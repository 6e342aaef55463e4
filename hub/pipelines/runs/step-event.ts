import { present } from '@svc/core/config/definition/present';
import { hasEnded } from '@svc/core/execution/state';
import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import type { StepField } from '@svc/core/pipeline/reference/reference';
import type { RunEvent, StepEnded } from '@svc/core/pipeline/run/event';
import { STEP_OUTCOMES, type StepOutcome } from '@svc/core/pipeline/run/state';
import type { ExecutionLedger, StepExecution, StepOf } from '../../executions/execution-ports.ts';
import { collectStored } from '../../executions/stored-output.ts';
import { isStoreDamaged } from '../../platform/db/damage.ts';

/** The fields of a step's execution that its run needs. */
export type StepState = Pick<StepExecution, 'id' | 'state' | 'exitCode' | 'data' | 'error'> & {
  readonly step: Pick<StepOf, 'runId' | 'id' | 'attempt'>;
};

type Ledger = Pick<ExecutionLedger, 'output'>;

/** The outputs of a step that later nodes use, and their size limit; other outputs are not read. */
interface Kept {
  readonly fields: ReadonlySet<StepField>;
  readonly maxBytes: number;
}

/** The event for a state of an execution; undefined while it waits for its agent. */
export async function stepEvent(
  ledger: Ledger,
  execution: StepState,
  { fields, maxBytes }: Kept,
  atMs: number,
): Promise<RunEvent | undefined> {
  const { state, step } = execution;
  const about = { atMs, step: step.id, attempt: step.attempt };
  if (state === 'pending_approval') return { ...about, kind: 'step_waiting' };
  if (state === 'running') return { ...about, kind: 'step_started' };
  if (!hasEnded(state)) return undefined;
  const { exitCode, error, data } = execution;
  const outcome = outcomeOf(state);
  const id = fields.has('artifacts') ? execution.id : undefined;
  const ended = {
    ...about,
    kind: 'step_ended',
    outcome,
    ...present({ exitCode, error, execution: id }),
  } as const;
  if (fields.has('data') && data !== undefined) return { ...ended, ...keptData(data, maxBytes) };
  if (!fields.has('output')) return ended;
  return { ...ended, ...(await keptOutput(ledger, execution.id, maxBytes)) };
}

/** JSON cannot be truncated, because later nodes would read missing parts as null. */
function keptData(json: string, maxBytes: number): Partial<Pick<StepEnded, 'data' | 'outcome' | 'error'>> {
  if (Buffer.byteLength(json) > maxBytes)
    return unkept(`its data has more than ${maxBytes} bytes, and later nodes refer to it`);
  try {
    const data = JSON.parse(json) as JsonValue;
    // Deeply nested JSON can be parsed but not serialized.
    JSON.stringify(data);
    return { data };
  } catch {
    return unkept('its data is no JSON that can be kept, and later nodes refer to it');
  }
}

function unkept(error: string) {
  return { outcome: 'failed', error } as const;
}

/**
 * The start of the output. The share of each step is at least the size of an argument. Damage does not go away, so the step fails instead of keeping its
 * run from ending.
 */
async function keptOutput(
  ledger: Ledger,
  executionId: string,
  maxBytes: number,
): Promise<Partial<Pick<StepEnded, 'output' | 'outcome' | 'error'>>> {
  try {
    return { output: (await collectStored(ledger, executionId, maxBytes)).text };
  } catch (error) {
    if (!isStoreDamaged(error)) throw error;
    return unkept('its stored output is damaged, and later nodes refer to it');
  }
}

function outcomeOf(state: string): StepOutcome {
  const outcome = STEP_OUTCOMES.find((one) => one === state);
  if (outcome === undefined) throw new Error(`a step cannot end as "${state}"`);
  return outcome;
}
