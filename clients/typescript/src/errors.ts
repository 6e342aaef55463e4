import type { CallResult, PendingCall, RunResult } from './api-types.ts';

/** Every error of this client. */
export class SvcError extends Error {
  override readonly name: string = 'SvcError';
}

/** The service could not be reached, or answered with something that is not an answer of svc. */
export class ConnectionError extends SvcError {
  override readonly name = 'ConnectionError';
}

/** What the service says about a request that it refuses. */
export interface Refusal {
  readonly status: number;
  /** `agent_offline`, `rate_limited`, `timeout` and so on; `unknown` if the answer names none. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly executionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly retryAfterSec?: number | undefined;
}

/** The service refuses the request, or the execution has no result. */
export class ApiError extends SvcError implements Refusal {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly executionId: string | undefined;
  readonly runId: string | undefined;
  readonly retryAfterSec: number | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details;
    this.executionId = refusal.executionId;
    this.runId = refusal.runId;
    this.retryAfterSec = refusal.retryAfterSec;
  }
}

/** The call waits for a person. `onApproval` makes `call` wait instead. */
export class ApprovalPending extends SvcError {
  override readonly name = 'ApprovalPending';
  readonly approval: PendingCall;

  constructor(approval: PendingCall) {
    super(approval.message);
    this.approval = approval;
  }
}

/** The command ended with another exit code than 0, and the call asked for `check`. */
export class CommandFailed extends SvcError {
  override readonly name = 'CommandFailed';
  readonly result: CallResult | RunResult;

  constructor(result: CallResult | RunResult) {
    super(`the command ended with exit code ${result.exit_code}`);
    this.result = result;
  }
}

/** Reads the body of a refusal. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const body = objectOf(text);
  const retryAfter = response.headers.get('retry-after') ?? '';
  const message =
    typeof body.error === 'string' ? body.error : `the service answered with status ${response.status}`;
  const details = isObject(body.details) ? body.details : {};
  return new ApiError(message, {
    status: response.status,
    code: textOf(body.code) ?? 'unknown',
    details,
    executionId: textOf(body.execution_id ?? details.execution_id),
    runId: textOf(body.run_id ?? details.run_id),
    retryAfterSec: /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
  });
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
