import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import type { Vault } from '../../../platform/world.ts';
import type { RegisteredPipeline } from '../../pipeline-ports.ts';
import { isSameRequest } from '../../webhook/run-claims.ts';
import type { PipelineRun } from '../run-ports.ts';
import { type AnswerRunDeps, answerRun, type RunAnswerOptions } from './answer-run.ts';
import { acceptedRun, runLinks } from './run-links.ts';

export interface RepeatedRunDeps extends AnswerRunDeps {
  readonly vault: Vault;
}

interface Repeated {
  readonly runId: string;
  /** The hash of the first call. */
  readonly requestHash: string;
  readonly pipeline: Pick<RegisteredPipeline, 'id' | 'workspaceId'>;
  /** The hash that identifies equal calls. */
  readonly request: JsonValue;
}

/** Responds to a repeated call with the run of the first call (decision 23, idempotency). */
export async function answerRepeatedRun(
  deps: RepeatedRunDeps,
  repeated: Repeated,
  options: Omit<RunAnswerOptions, 'readToken'>,
): Promise<Response> {
  const run = await firstRun(deps, repeated);
  // The sender of a repeated delivery needs only an acknowledgement.
  if (options.isFromSender) return acceptedRun(run, runLinks(deps, run.id));
  refuseUnended(run);
  return await answerRun(deps, run, { ...options, readToken: undefined });
}

/** Responds to a repeated request of the management API, always at once. */
export async function acceptRepeatedRun(deps: RepeatedRunDeps, repeated: Repeated): Promise<Response> {
  const run = await firstRun(deps, repeated);
  refuseUnended(run);
  return acceptedRun(run, runLinks(deps, run.id));
}

async function firstRun(
  deps: RepeatedRunDeps,
  { runId, requestHash, pipeline, request }: Repeated,
): Promise<PipelineRun> {
  const details = { run_id: runId };
  if (!isSameRequest(deps.vault, pipeline, request, requestHash))
    throw refuse(
      'idempotency_mismatch',
      'the same key or delivery came with another request before',
      details,
    );
  const run = await deps.runs.find(runId);
  if (run === undefined) throw refuse('unavailable', 'the record of the first request is gone', details);
  return run;
}

function refuseUnended({ id, head }: PipelineRun): void {
  if (hasRunEnded(head)) return;
  throw refuse('idempotency_in_progress', 'the run of the first request has not ended', { run_id: id });
}
