import type { ExecutionState } from '@svc/core/execution/state';
import { objectResponse } from '../../platform/http/json-response.ts';
import type { ExecutionLinks } from './links.ts';

/** The 202 of an execution that goes on without its caller (decisions 19 and 20). */
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
