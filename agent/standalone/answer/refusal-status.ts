import type { RefusalCode } from '@svc/core/refusal';

/** The HTTP status of each way to say no (reference 7, decision 25); the compiler keeps the table complete. */
export const REFUSAL_STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_argument: 400,
  invalid_json: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  concurrency_limited: 429,
  rate_limited: 429,
  not_supported: 501,
  cancelled: 502,
  spawn_failed: 502,
  timeout: 502,
  lost: 502,
  transform_failed: 502,
  unavailable: 503,
};
