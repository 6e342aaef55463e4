/** The closed list of refusals to a caller (decision 25, errors). Each room that speaks HTTP maps all of them to a status. */
export const REFUSAL_CODES = [
  'invalid_argument',
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'unauthorized',
  'forbidden',
  'second_factor_required',
  'not_found',
  'execution_not_open',
  'method_not_allowed',
  'slug_taken',
  'managed_by_config',
  'version_conflict',
  'precondition_failed',
  'key_revoked',
  'username_taken',
  'username_chosen',
  'username_gone',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'link_used',
  'link_expired',
  'link_withdrawn',
  'stale',
  'approval_closed',
  'approval_denied',
  'approval_expired',
  'already_member',
  'already_invited',
  'seat_limit_reached',
  'secret_not_set',
  'secret_not_allowed',
  'limit_reached',
  'plan_limit',
  'quota_exceeded',
  'concurrency_limited',
  'rate_limited',
  'not_supported',
  'agent_offline',
  'agent_refused',
  'spawn_failed',
  'timeout',
  'lost',
  'cancelled',
  'transform_failed',
  'step_failed',
  'unavailable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** An expected refusal, never a bug. `message` is for people, `details` for programs. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: RefusalCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Creates the refusal that a use case throws: `throw refuse('not_found', 'no endpoint "x"')`. */
export function refuse(code: RefusalCode, message: string, details?: Record<string, unknown>): Refusal {
  return new Refusal(code, message, details);
}

/**
 * An error with the execution that it is about, so that every failure body has its id. `not_found` stays as it is: it must not
 * reveal that the execution exists.
 */
export function aboutExecution(executionId: string, error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code === 'not_found') return error;
  return new Refusal(error.code, error.message, { execution_id: executionId, ...error.details });
}
