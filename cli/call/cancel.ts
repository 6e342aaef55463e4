import { EXECUTION_NEXT, type ExecutionState } from '@svc/core/execution/state';
import { RUN_NEXT, type RunState } from '@svc/core/pipeline/run/state';
import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { findThing } from './follow.ts';
import type { CancelOptions } from './options.ts';

const NEXT: Readonly<Record<ExecutionState | RunState, readonly string[]>> = {
  ...RUN_NEXT,
  ...EXECUTION_NEXT,
};

/** `svc cancel`: cancels an execution or a pipeline run; an ended one stays as it is. */
export async function cancel(id: string, options: CancelOptions): Promise<void> {
  const service = findService(options, process.env);
  const api = apiOf(service);
  const { kind } = await findThing(service, id);
  const cancelled =
    kind === 'run'
      ? await orFail(api.cancelPipelineRun({ parameters: { id } }))
      : await orFail(api.cancelExecution({ parameters: { id } }));
  if (options.json) process.stdout.write(`${JSON.stringify(cancelled)}\n`);
  else process.stderr.write(`${lineOf(id, cancelled.status)}\n`);
}

/** A command gets time to end, so what runs often still has its old state here. */
function lineOf(id: string, status: ExecutionState | RunState): string {
  const isOver = NEXT[status].length === 0 || status === 'lost';
  return isOver
    ? `${status}  svc logs ${id} has the output`
    : `cancelling  svc logs ${id} follows it to its end`;
}
