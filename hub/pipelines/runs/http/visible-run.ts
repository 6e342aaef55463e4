import { accessToExecution, type Caller, MAY_ONLY_VIEW, seesEndpoint } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import { hashToken } from '../../../accounts/make-tokens.ts';
import type { PipelineRun } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';

export interface VisibleRunDeps {
  readonly runs: PipelineRuns;
}

/** A run that the caller may see. Unknown runs and those of others take one code path (decision 25, errors). */
export async function visibleRun(
  { runs }: VisibleRunDeps,
  caller: Caller,
  id: string,
  readToken?: string,
  accessTo = accessToExecution,
): Promise<PipelineRun> {
  const run = await runs.find(id);
  if (readToken !== undefined && run?.readTokenHash === hashToken(readToken)) return run;
  const access = accessTo(caller, run);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'forbidden') throw refuse('forbidden', MAY_ONLY_VIEW);
  if (access === 'not_found' || run === undefined) throw refuse('not_found', 'there is no such pipeline run');
  if (!(await seesSteps(runs, caller, id))) throw refuse('not_found', 'there is no such pipeline run');
  return run;
}

/**
 * Whether the caller may view each endpoint that a run has called. The rights on its pipeline follow from the present
 * definition, which may name others (decision 87, rights per endpoint).
 */
export async function seesSteps(
  runs: Pick<PipelineRuns, 'executions'>,
  caller: Caller,
  id: string,
): Promise<boolean> {
  if (caller.kind === 'anonymous' || !caller.rights?.isLimited) return true;
  return (await runs.executions(id)).every(({ slug }) => seesEndpoint(caller, slug));
}
