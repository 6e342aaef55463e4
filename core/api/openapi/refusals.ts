import { REFUSAL_CODES, type RefusalCode } from '../../refusal.ts';
import { errorBody } from '../contract/error-body.ts';
import { refusalsOf } from '../contract/refusals-of.ts';
import type { Route } from '../contract/route.ts';
import { REFUSAL_MEANING } from '../refusal-meaning.ts';
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
    const isPage = row.refusesOn === 'page';
    const name = ofStatus.map(pascalCase).join('Or') + (isPage ? 'Page' : '');
    return [
      status,
      book.response(name, () => (isPage ? page(status, ofStatus, book) : refusal(status, ofStatus, book))),
    ] as const;
  });
  return {
    ...Object.fromEntries(refused),
    default: book.response('InternalError', () => internalError(book)),
  };
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
