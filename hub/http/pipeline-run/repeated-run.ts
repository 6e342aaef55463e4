import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import type { PipelineRun } from '../../engine/ports/pipeline-runs.ts';
import type { RegisteredPipeline } from '../../engine/ports/pipelines.ts';
import type { HubContext } from '../context.ts';
import { isSameRequest } from '../webhook/run-claims.ts';
import { answerRun, type RunAnswerOptions } from './answer-run.ts';
import { acceptedRun, runLinks } from './run-links.ts';

interface Repeated {
  readonly runId: string;
  /** Of the first call. */
  readonly requestHash: string;
  readonly pipeline: Pick<RegisteredPipeline, 'id' | 'workspaceId'>;
  /** What makes two calls the same. */
  readonly request: JsonValue;
}

/** Answers the second of two equal calls from the run of the first (decision 23). */
export async function answerRepeatedRun(
  context: HubContext,
  repeated: Repeated,
  options: Omit<RunAnswerOptions, 'readToken'>,
): Promise<Response> {
  const run = await firstRun(context, repeated);
  // A sender that sends again wants to hear that it has been heard.
  if (options.isFromSender) return acceptedRun(run, runLinks(context, run.id));
  refuseUnended(run);
  return await answerRun(context, run, { ...options, readToken: undefined });
}

/** The same for whoever asks by a route of its own, and is always answered at once. */
export async function acceptRepeatedRun(context: HubContext, repeated: Repeated): Promise<Response> {
  const run = await firstRun(context, repeated);
  refuseUnended(run);
  return acceptedRun(run, runLinks(context, run.id));
}

async function firstRun(
  context: HubContext,
  { runId, requestHash, pipeline, request }: Repeated,
): Promise<PipelineRun> {
  const details = { run_id: runId };
  if (!isSameRequest(context.vault, pipeline, request, requestHash))
    throw refuse(
      'idempotency_mismatch',
      'the same key or delivery came with another request before',
      details,
    );
  const run = await context.runs.find(runId);
  if (run === undefined) throw refuse('unavailable', 'the record of the first request is gone', details);
  return run;
}

function refuseUnended({ id, head }: PipelineRun): void {
  if (hasRunEnded(head)) return;
  throw refuse('idempotency_in_progress', 'the run of the first request has not ended', { run_id: id });
}
