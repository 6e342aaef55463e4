import { REFUSAL_CODES, type RefusalCode } from '../../refusal.ts';
import type { JsonAnswer, MediaAnswer, RouteAnswer } from '../contract/answer.ts';
import { errorBody } from '../contract/error-body.ts';
import { executionEvent } from '../contract/event-schema.ts';
import { refusalsOf } from '../contract/refusals-of.ts';
import type { Route } from '../contract/route.ts';
import { REFUSAL_MEANING } from '../refusal-meaning.ts';
import { REFUSAL_STATUS } from '../refusal-status.ts';
import type { SchemaBook } from './schema-book.ts';

const EVENTS = 'text/event-stream';
const RETRY_AFTER = {
  description: 'Seconds until it makes sense to try again.',
  schema: { type: 'integer' },
} as const;
const RETRIED: readonly number[] = [429, 503];

/** Every answer of a row, by status: what it promises, what it may refuse, and what only a bug makes. */
export function answersOf(row: Route, book: SchemaBook): Record<string, object> {
  const promised = Object.entries(row.answers).map(([status, answer]) => [status, answered(answer, book)]);
  const refused = refusalStatuses(row)
    .filter((status) => !(status in row.answers))
    .map((status) => [status, refusal(row, status, book)]);
  return Object.fromEntries([
    ...promised,
    ...refused,
    ['default', { $ref: '#/components/responses/InternalError' }],
  ]);
}

/** The answer that only a bug makes; shared by all. */
export function internalError(book: SchemaBook): object {
  const example = { error: `internal error ${BUG_ID}; the log of the hub says more`, code: 'internal_error' };
  return {
    description: 'A bug, with the status 500: the log of the hub has the rest under the id.',
    content: {
      'application/json': {
        schema: book.ofAnswer(errorBody),
        example: { ...example, details: { id: BUG_ID } },
      },
    },
  };
}

const BUG_ID = '019a9f40-6d2e-7f10-b3c4-2a1b0c9d8e77';

function answered(answer: RouteAnswer, book: SchemaBook): object {
  const { description } = answer;
  switch (answer.kind) {
    case 'empty':
      return { description };
    case 'json':
      return { description, content: { 'application/json': jsonContent(answer, book) } };
    case 'media': {
      const other = answer.json && { 'application/json': jsonContent(answer.json, book) };
      return { description, content: { [answer.mediaType]: mediaContent(answer, book), ...other } };
    }
  }
}

function jsonContent({ schema, example }: Pick<JsonAnswer, 'schema' | 'example'>, book: SchemaBook): object {
  return { schema: book.ofAnswer(schema), example };
}

function mediaContent({ mediaType, example }: MediaAnswer, book: SchemaBook): object {
  const events = {
    contentMediaType: EVENTS,
    contentSchema: book.ofAnswer(executionEvent),
    description: 'Server-sent events. The schema is that of the JSON in the `data:` line of each.',
  };
  return { schema: { type: 'string', ...(mediaType === EVENTS ? events : {}) }, example };
}

function refusalStatuses(row: Route): number[] {
  return [...new Set(refusalsOf(row).map((code) => REFUSAL_STATUS[code]))].sort((a, b) => a - b);
}

function refusal(row: Route, status: number, book: SchemaBook): object {
  const codes = REFUSAL_CODES.filter(
    (code) => REFUSAL_STATUS[code] === status && refusalsOf(row).includes(code),
  );
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...(RETRIED.includes(status) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    content:
      row.refusesOn === 'page'
        ? { 'text/html': { schema: { type: 'string' } } }
        : { 'application/json': { schema: book.ofAnswer(errorBody), examples: refusalExamples(codes) } },
  };
}

function refusalExamples(codes: readonly RefusalCode[]): Record<string, object> {
  return Object.fromEntries(codes.map((code) => [code, { value: { error: REFUSAL_MEANING[code], code } }]));
}
