import { ApiError } from '@svc/core/api/client/api-error';
import { createApiClient } from '@svc/core/api/client/client';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { ask, failureOf, type Service } from './service.ts';

/** A client of the service; a refusal is thrown as an `ApiError`. */
export function apiOf(service: Service): ApiClient {
  return createApiClient(({ method, path, headers, body }) =>
    ask(service, `${service.baseUrl}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  );
}

/** Turns a refusal of the service into a `Failure`, which ends the subcommand. */
export async function orFail<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ApiError ? failureOf(error) : error;
  }
}
