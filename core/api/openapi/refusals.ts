import { REFUSAL_CODES, type RefusalCode } from '../../refusal.ts';
import { errorBody, scimErrorBody } from '../contract/error-body.ts';
import { refusalsOf } from '../contract/refusals-of.ts';
import type { Route } from '../contract/route.ts';
import { REFUSAL_STATUS } from '../refusal-status.ts';
import type { ComponentBook } from './component-book.ts';

const RETRY_AFTER = {
  description: 'Seconds until it makes sense to try again.',
  schema: { type: 'integer' },
} as const;
const RETRIED: readonly number[] = [429, 503];
const BUG_ID = '019a9f40-6d2e-7f10-b3c4-2a1b0c9d8e77';

/** The statuses with which a row may refuse. */
export function refusalStatuses(row: Route): number[] {
  return [...new Set(refusalsOf(row).map((code) => REFUSAL_STATUS[code]))].sort((a, b) => a - b);
}

/**
 * The refusals of a row by status, without the statuses of its own answers, and `default` for bugs. Rows with the same
 * refusals share them.
 */
export function refusalResponses(row: Route, book: ComponentBook): Record<string, object> {
  const codes = refusalsOf(row);
  const statuses = refusalStatuses(row).filter((status) => !(status in row.answers));
  const refused = statuses.map((status) => {
    const ofStatus = REFUSAL_CODES.filter((code) => REFUSAL_STATUS[code] === status && codes.includes(code));
    const { refusesOn } = row;
    const name = ofStatus.map(pascalCase).join('Or') + (refusesOn === undefined ? '' : pascalCase(refusesOn));
    return [status, book.response(name, () => refusedOn(refusesOn, status, ofStatus, book))] as const;
  });
  return {
    ...Object.fromEntries(refused),
    default: book.response('InternalError', () => internalError(book)),
  };
}

function refusedOn(
  refusesOn: Route['refusesOn'],
  status: number,
  codes: readonly RefusalCode[],
  book: ComponentBook,
): object {
  switch (refusesOn) {
    case 'page':
      return page(status, codes, book);
    case 'scim':
      return scimRefusal(status, codes, book);
    case undefined:
      return refusal(status, codes, book);
  }
}

function scimRefusal(status: number, codes: readonly RefusalCode[], book: ComponentBook): object {
  const { content: _, ...rest } = refusal(status, codes, book);
  return { ...rest, content: { 'application/scim+json': { schema: book.answerSchema(scimErrorBody) } } };
}

function refusal(status: number, codes: readonly RefusalCode[], book: ComponentBook) {
  const examples = codes.map((code) => [code, { value: { error: REFUSAL_MEANING[code], code } }]);
  return {
    description: listed(codes),
    ...(RETRIED.includes(status) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    content: {
      'application/json': { schema: book.answerSchema(errorBody), examples: Object.fromEntries(examples) },
    },
  };
}

/** The row answers with a page for people. A malformed request is answered in JSON, as everywhere. */
function page(status: number, codes: readonly RefusalCode[], book: ComponentBook): object {
  const { content, ...rest } = refusal(status, codes, book);
  return {
    ...rest,
    description: `A page that says why: ${listed(codes)}`,
    content: { 'text/html': { schema: { type: 'string' } }, ...content },
  };
}

function internalError(book: ComponentBook): object {
  const error = `internal error ${BUG_ID}; the log of the hub says more`;
  const example = { error, code: 'internal_error', details: { id: BUG_ID } };
  return {
    description: 'A bug, with the status 500: the log of the hub has the rest under the id.',
    content: { 'application/json': { schema: book.answerSchema(errorBody), example } },
  };
}

function listed(codes: readonly RefusalCode[]): string {
  return `${codes.map((code) => `\`${code}\``).join(', ')}.`;
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The meaning of each refusal, for the description of the API. */
const REFUSAL_MEANING: Readonly<Record<RefusalCode, string>> = {
  invalid_argument: 'a value of the request is not what is expected there',
  invalid_json: 'the body is no JSON, or no UTF-8',
  unsupported_media_type: 'the body is of another type than application/json',
  payload_too_large: 'the body, or a value in it, is too large',
  unauthorized: 'no credential came with the request, or none that is valid here',
  forbidden: 'the role does not allow this, or a page of another site sent it',
  second_factor_required:
    'the workspace or the account needs a second factor, which this credential does not prove',
  not_found: 'it does not exist, or it belongs to another account',
  execution_not_open: 'no execution of this agent takes files under this id',
  method_not_allowed: 'the path is there, the method is not',
  slug_taken: 'another endpoint or pipeline of the workspace has this slug',
  managed_by_config: 'the file of an agent decides this',
  version_conflict: 'it was changed since the version that was sent',
  precondition_failed: 'it was changed since the version in If-Match',
  key_revoked: 'the API key was revoked or has expired',
  username_taken: 'the username is taken or reserved',
  username_chosen: 'the username was chosen already',
  username_gone: 'the workspace has another username, and its old URLs have ended',
  idempotency_in_progress: 'the first of two equal calls is still running',
  idempotency_mismatch: 'the Idempotency-Key was used for another request',
  link_used: 'the link was used already',
  link_expired: 'the link is too old',
  link_withdrawn: 'the invitation was withdrawn',
  stale: 'what was to be approved or run has changed since',
  approval_closed: 'another person decided first: the details have who, when and how',
  approval_denied: 'the call was denied by a person',
  approval_expired: 'the call was not decided on in time',
  already_member: 'this person is a member already',
  already_invited: 'this address has an invitation already',
  seat_limit_reached: 'the plan has no seat left',
  secret_not_set: 'the command references a secret that the workspace does not have',
  secret_not_allowed: 'a secret of the command is not for the agent that would run it',
  limit_reached: 'there are as many of these as there may be',
  plan_limit: 'the plan of the workspace does not have this',
  quota_exceeded: 'the executions of this month are used up',
  concurrency_limited: 'as many executions as may run at once are running',
  rate_limited: 'too many requests in a short time',
  not_supported: 'this server does not do that',
  agent_offline: 'no agent that could run it is connected',
  agent_refused: 'the agent refuses to run this',
  spawn_failed: 'the command could not be started',
  timeout: 'the command took longer than its timeout',
  lost: 'the agent went away and did not come back with a result',
  cancelled: 'the execution was stopped',
  transform_failed: 'the output could not be transformed',
  step_failed: 'a step of the pipeline came to no exit code, and the run ended with it',
  unavailable: 'the hub cannot store anything now',
};
