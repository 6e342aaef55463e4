import { resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { type Ended, outcomeOf } from '@svc/core/execution/outcome';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import { jsonResponse } from '../../platform/http/json-response.ts';
import type { Following } from '../follow-execution.ts';
import { CollectedOutput } from '../stored-output.ts';
import type { ExecutionLinks } from './links.ts';

/** The result of an ended execution. */
export interface Collected {
  readonly output: CollectedOutput;
  readonly ended: Ended;
}

/** Reads to the end; undefined when the reader was stopped before. */
export async function collect(following: Following): Promise<Collected | undefined> {
  const output = new CollectedOutput(LIMITS.bufferedOutputBytes);
  for await (const next of following) {
    if (next.kind === 'output') for (const chunk of next.chunks) output.add(chunk);
    else if (next.kind === 'ended') return { output, ended: next.ended };
  }
  return undefined;
}

/** The JSON result of reference 2.4; throws the refusal of an execution that has none. */
export function resultResponse(
  { output, ended }: Collected,
  executionId: string,
  links: ExecutionLinks,
  failStatus: boolean,
): Response {
  const outcome = outcomeOf(ended);
  if (outcome.kind === 'failure') {
    const { code, message, details } = outcome.refusal;
    throw new Refusal(code, message, { ...details, execution_id: executionId });
  }
  const { exitCode, data } = outcome;
  const json = resultJson({ exitCode, data, executionId }, output, links);
  return jsonResponse(json, resultStatus(exitCode, failStatus), {
    'X-Execution-Id': executionId,
    ...resultHeaders(exitCode, failStatus),
  });
}

/** `data` takes the place of `output` when a transform succeeded. */
function resultJson(
  { exitCode, data, executionId }: { exitCode: number; data: string | undefined; executionId: string },
  output: CollectedOutput,
  { outputUrl }: ExecutionLinks,
): string {
  const end = `"exit_code":${exitCode},"execution_id":"${executionId}"`;
  if (data !== undefined) return `{"data":${data},${end}}`;
  const truncated = output.isTruncated ? `,"truncated":true,"output_url":${JSON.stringify(outputUrl)}` : '';
  const { base64 } = output;
  if (base64 !== undefined) return `{"output":"${base64}","encoding":"base64",${end}${truncated}}`;
  return `{"output":${JSON.stringify(output.text)},${end}${truncated}}`;
}
