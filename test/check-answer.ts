import type { RouteAnswer } from '@svc/core/api/contract/answer';
import { errorBody, scimErrorBody } from '@svc/core/api/contract/error-body';
import { refusalsOf } from '@svc/core/api/contract/refusals-of';
import type { Route } from '@svc/core/api/contract/route';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';

/** A received answer; `body` is the parsed JSON, undefined if it was none. */
export interface GivenAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How an answer differs from its row; undefined if it does not. Tests check every answer with it. */
export function answerProblem(row: Route, { status, body }: GivenAnswer): string | undefined {
  const promised = row.answers[status];
  const problem = promised === undefined ? undefined : promiseProblem(promised, body);
  // A status can be both an answer of the row and the status of a refusal.
  if (promised !== undefined && (problem === undefined || status < 400)) return problem;
  if (row.refusesOn === 'page' && body === undefined) return pageProblem(row, status);
  if (row.refusesOn === 'scim') return scimProblem(row, { status, body });
  const error = errorBody.safeParse(body);
  if (!error.success) return `status ${status} is not in the row, and the body is no error`;
  const { code } = error.data;
  if (code === 'internal_error') return undefined;
  if (REFUSAL_STATUS[code] !== status) return `${code} has the status ${REFUSAL_STATUS[code]}, not ${status}`;
  return refusalsOf(row).includes(code) ? undefined : `the row does not say that it may refuse with ${code}`;
}

function promiseProblem(answer: RouteAnswer, body: unknown): string | undefined {
  if (answer.kind === 'json') return schemaProblem(answer.schema.safeParse(body));
  if (body === undefined) return undefined;
  if (answer.kind === 'empty' || answer.json === undefined) return 'the row says nothing of JSON';
  return schemaProblem(answer.json.schema.safeParse(body));
}

function scimProblem(row: Route, { status, body }: GivenAnswer): string | undefined {
  const error = scimErrorBody.safeParse(body);
  if (!error.success) return `status ${status} is not in the row, and the body is no error of SCIM`;
  if (error.data.status !== String(status)) return `the body says ${error.data.status}, and not ${status}`;
  if (status === 500) return undefined;
  return pageProblem(row, status);
}

function pageProblem(row: Route, status: number): string | undefined {
  const isPromised = refusalsOf(row).some((code) => REFUSAL_STATUS[code] === status);
  return isPromised ? undefined : `the row does not say that it may answer with the status ${status}`;
}

function schemaProblem({ error }: { readonly error?: { readonly issues: readonly object[] } | undefined }) {
  return error === undefined ? undefined : JSON.stringify(error.issues);
}
