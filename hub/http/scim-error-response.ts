import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal } from '@svc/core/refusal';
import { scimError, scimErrorOf } from '@svc/core/scim/scim-error';
import { bugMessage, objectResponse, refusalHeaders } from '../platform/http/json-response.ts';

export const SCIM_TYPE = { 'Content-Type': 'application/scim+json' } as const;

/** The response to a refused or failed request of SCIM. A bug is reported, and the response has the id of its log entry. */
export function scimErrorResponse(error: unknown, reportBug: (error: unknown) => string): Response {
  if (error instanceof Refusal)
    return objectResponse(scimErrorOf(error), REFUSAL_STATUS[error.code], {
      ...refusalHeaders(error),
      ...SCIM_TYPE,
    });
  return objectResponse(scimError(500, bugMessage(reportBug(error))), 500, SCIM_TYPE);
}
