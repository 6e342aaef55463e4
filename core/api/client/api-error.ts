/** A refusal by the service: like `Refusal`, but from another machine, whose newer version may use unknown codes. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly executionId: string | undefined;
  readonly runId: string | undefined;
  /** When to try again. */
  readonly retryAfterSec: number | undefined;

  constructor(message: string, about: Omit<ApiError, 'name' | 'message' | 'stack' | 'cause'>) {
    super(message);
    this.status = about.status;
    this.code = about.code;
    this.details = about.details;
    this.executionId = about.executionId;
    this.runId = about.runId;
    this.retryAfterSec = about.retryAfterSec;
  }
}

/**
 * Reads the body of an error (decision 25, errors). An answer that does not come from the service is described by its
 * status.
 */
export function readApiError(
  status: number,
  text: string,
  header: (name: string) => string | null,
): ApiError {
  const { error, code, execution_id: executionId, run_id: runId, details } = readObject(text);
  const message = typeof error === 'string' ? error : `the service answered with status ${status}`;
  return new ApiError(message, {
    status,
    code: typeof code === 'string' ? code : 'unknown',
    details: isObject(details) ? details : {},
    executionId: typeof executionId === 'string' ? executionId : undefined,
    runId: typeof runId === 'string' ? runId : undefined,
    retryAfterSec: seconds(header('retry-after')),
  });
}

function readObject(text: string): Readonly<Record<string, unknown>> {
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

function seconds(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
