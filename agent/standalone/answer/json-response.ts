import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import type { Refusal, RefusalCode } from '@svc/core/refusal';

/** The answer of a GET that ran a command must never come out of a cache. */
const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } as const;

/** The seconds after which a caller may repeat a call that was refused temporarily. */
const RETRY_AFTER_SEC = '1';

/** The body gets a final newline, for people who read it in a terminal. */
export function jsonResponse(
  json: string,
  status = 200,
  headers?: Readonly<Record<string, string>>,
): Response {
  return new Response(`${json}\n`, {
    status,
    headers: headers === undefined ? HEADERS : { ...HEADERS, ...headers },
  });
}

/**
 * The body of every error: `error` for people, `code` for programs, `execution_id` and `details` if there are any (decision 25,
 * errors).
 */
export function refusalResponse(refusal: Refusal): Response {
  const { code, message } = refusal;
  const { execution_id: executionId, ...details } = refusal.details;
  const known = { execution_id: executionId, details: Object.keys(details).length > 0 ? details : undefined };
  const response = jsonResponse(
    JSON.stringify({ error: message, code, ...known }),
    REFUSAL_STATUS[code],
    refusalHeaders(refusal),
  );
  if (typeof executionId === 'string') response.headers.set('X-Execution-Id', executionId);
  return response;
}

/** The body for a bug: the id under which the log has the details (decision 25, errors). */
export function bugResponse(id: string): Response {
  const body = { error: bugMessage(id), code: 'internal_error', details: { id } };
  return jsonResponse(JSON.stringify(body), 500);
}

export function bugMessage(id: string): string {
  return `internal error ${id}; the log of the server says more`;
}

/** The codes of temporary refusals. */
const PASSING: ReadonlySet<RefusalCode> = new Set(['concurrency_limited', 'rate_limited', 'unavailable']);

function refusalHeaders({ code, details }: Refusal): Record<string, string> | undefined {
  if (code === 'method_not_allowed') return { Allow: String(details.allow) };
  return PASSING.has(code) ? { 'Retry-After': RETRY_AFTER_SEC } : undefined;
}
