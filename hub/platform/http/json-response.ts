import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import type { Refusal, RefusalCode } from '@svc/core/refusal';

type ResponseHeaders = Readonly<Record<string, string>>;

const HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The default `Retry-After` of a temporary refusal. */
const RETRY_AFTER_SEC = 1;
const PASSING: ReadonlySet<RefusalCode> = new Set([
  'concurrency_limited',
  'rate_limited',
  'quota_exceeded',
  'idempotency_in_progress',
  'unavailable',
]);

/** The body ends with a newline, for people who read it in a terminal. */
export function jsonResponse(json: string, status = 200, headers?: ResponseHeaders): Response {
  return new Response(`${json}\n`, { status, headers: headers ? { ...HEADERS, ...headers } : HEADERS });
}

export function objectResponse(value: unknown, status = 200, headers?: ResponseHeaders): Response {
  return jsonResponse(JSON.stringify(value), status, headers);
}

/** The body of every error: `error` for people, `code` for programs, and the execution, if any (decision 25, errors). */
export function refusalResponse(refusal: Refusal): Response {
  const { code, message } = refusal;
  const { execution_id: executionId, run_id: runId, ...more } = refusal.details;
  const { retry_after_s: _, allow: __, ...details } = more;
  const hasDetails = Object.keys(details).length > 0;
  const known = { execution_id: executionId, run_id: runId };
  const body = { error: message, code, ...known, details: hasDetails ? details : undefined };
  return objectResponse(body, REFUSAL_STATUS[code], refusalHeaders(refusal));
}

/** The headers of a refusal, whatever the shape of its body. */
export function refusalHeaders({ code, details }: Refusal): ResponseHeaders {
  const { execution_id: executionId, run_id: runId, retry_after_s: retryAfterSec, allow, limit } = details;
  const headers: Record<string, string> = {};
  if (typeof executionId === 'string') headers['X-Execution-Id'] = executionId;
  if (typeof runId === 'string') headers['X-Run-Id'] = runId;
  if (PASSING.has(code)) headers['Retry-After'] = String(Number(retryAfterSec ?? RETRY_AFTER_SEC));
  if (code === 'rate_limited' && typeof limit === 'number') {
    headers['RateLimit-Limit'] = String(limit);
    headers['RateLimit-Remaining'] = '0';
    headers['RateLimit-Reset'] = String(retryAfterSec);
  }
  if (code === 'method_not_allowed') headers.Allow = String(allow);
  if (code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer';
  return headers;
}

/** The response after a bug: the id of the log entry with the details, and the execution, if any (decision 25, errors). */
export function bugResponse(id: string, executionId?: string): Response {
  const known = executionId === undefined ? {} : { execution_id: executionId };
  const headers = executionId === undefined ? undefined : { 'X-Execution-Id': executionId };
  const body = { error: bugMessage(id), code: 'internal_error', ...known, details: { id } };
  return objectResponse(body, 500, headers);
}

export function bugMessage(id: string): string {
  return `internal error ${id}; the log of the hub says more`;
}

/** A time for the API: RFC 3339 in UTC; null for none. */
export function time(atMs: number): string;
export function time(atMs: number | undefined): string | null;
export function time(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
