import type { Route } from '@svc/core/api/contract/route';
import { answerProblem } from './check-answer.ts';

/** A file that was compressed at build time is no answer of the API. */
const isJson = ({ headers }: Response) =>
  !headers.has('content-encoding') && /^application\/(?:scim\+)?json/.test(headers.get('content-type') ?? '');

/** Throws, and so makes a 500 of it, when a route answers what its row does not say. */
export async function inspectAnswer(row: Route, response: Response): Promise<void> {
  const body: unknown = isJson(response) ? await response.clone().json() : undefined;
  const problem = answerProblem(row, { status: response.status, body });
  if (problem !== undefined)
    throw new Error(`${row.method} ${row.path} answered ${response.status}: ${problem}`);
}
