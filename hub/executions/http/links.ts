import type { ExecutionState } from '@svc/core/execution/state';
import { objectResponse } from '../../platform/http/json-response.ts';
/**
 * The URLs of an execution. For an anonymous caller they contain the read token (decision 20, asynchronous calls and
 * records).
 */
export interface ExecutionLinks {
  readonly statusUrl: string;
  readonly streamUrl: string;
  readonly outputUrl: string;
}

export function executionLinks(baseUrl: string, executionId: string, readToken?: string): ExecutionLinks {
  const url = `${baseUrl}/executions/${executionId}`;
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return { statusUrl: url + query, streamUrl: `${url}/stream${query}`, outputUrl: `${url}/output${query}` };
}

/**
 * The 202 answer for an execution that continues without its caller (decision 19, the cap on a response; decision 20, asynchronous
 * calls and records).
 */
export function acceptedResponse(
  executionId: string,
  status: ExecutionState,
  links: ExecutionLinks,
  headers: Readonly<Record<string, string>> = {},
  httpStatus = 202,
): Response {
  const body = {
    execution_id: executionId,
    status,
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
  };
  return objectResponse(body, httpStatus, {
    'X-Execution-Id': executionId,
    Location: links.statusUrl,
    ...headers,
  });
}
