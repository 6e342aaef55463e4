import type { RunState } from '@svc/core/pipeline/run/state';
import { objectResponse } from '../../../platform/http/json-response.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { PipelineRun } from '../run-ports.ts';

export interface RunLinksDeps {
  readonly settings: Settings;
}

/** The URLs of a run. For an anonymous caller they contain the read token (decision 20, asynchronous calls and records). */
export interface RunLinks {
  readonly statusUrl: string;
  readonly streamUrl: string;
}

export function runLinks({ settings }: RunLinksDeps, runId: string, readToken?: string): RunLinks {
  const url = `${settings.baseUrl}/pipeline-runs/${runId}`;
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return { statusUrl: url + query, streamUrl: `${url}/stream${query}` };
}

/** The response for a run that continues without its caller (decision 43, calling a pipeline). */
export function acceptedBody(runId: string, status: RunState, { statusUrl, streamUrl }: RunLinks) {
  return { run_id: runId, status, status_url: statusUrl, stream_url: streamUrl };
}

/** The 202 of a call. */
export function acceptedRun(
  { id, head }: Pick<PipelineRun, 'id' | 'head'>,
  links: RunLinks,
  more: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: object;
    readonly status?: number;
  } = {},
): Response {
  const body = { ...acceptedBody(id, head.state, links), ...more.body };
  return objectResponse(body, more.status ?? 202, {
    'X-Run-Id': id,
    Location: links.statusUrl,
    ...more.headers,
  });
}
