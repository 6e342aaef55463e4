import type { JsonAnswer, MediaAnswer, RouteAnswer } from '../contract/answer.ts';
import { errorBody } from '../contract/error-body.ts';
import { executionEvent } from '../contract/event-schema.ts';
import type { Route } from '../contract/route.ts';
import type { ComponentBook } from './component-book.ts';
import { refusalResponses, refusalStatuses } from './refusals.ts';

const EVENTS = 'text/event-stream';

/** Every answer of a row by status: its own, its refusals, and the one for a bug. */
export function answersOf(row: Route, book: ComponentBook): Record<string, object> {
  const refused = refusalStatuses(row);
  const promised = Object.entries(row.answers).map(([status, answer]) => [
    status,
    answered(answer, refused.includes(Number(status)), book),
  ]);
  return { ...refusalResponses(row, book), ...Object.fromEntries(promised) };
}

/** @param isRefusalToo a status of both an answer of the row and a refusal */
function answered(answer: RouteAnswer, isRefusalToo: boolean, book: ComponentBook): object {
  const { description } = answer;
  switch (answer.kind) {
    case 'empty':
      return { description };
    case 'json': {
      const { schema, example } = jsonContent(answer, book);
      const either = isRefusalToo ? { anyOf: [schema, book.answerSchema(errorBody)] } : schema;
      return { description, content: { 'application/json': { schema: either, example } } };
    }
    case 'media': {
      const other = answer.json && { 'application/json': jsonContent(answer.json, book) };
      const bytes = answer.anyBytes && { '*/*': { schema: { type: 'string', format: 'binary' } } };
      const content = { [answer.mediaType]: mediaContent(answer, book), ...other, ...bytes };
      return { description, content };
    }
  }
}

function jsonContent({ schema, example }: Pick<JsonAnswer, 'schema' | 'example'>, book: ComponentBook) {
  return { schema: book.answerSchema(schema), example };
}

function mediaContent(
  { mediaType, example, eventSchema = executionEvent }: MediaAnswer,
  book: ComponentBook,
): object {
  const events = {
    contentMediaType: EVENTS,
    contentSchema: book.answerSchema(eventSchema),
    description: 'Server-sent events. The schema is that of the JSON in the `data:` line of each.',
  };
  return { schema: { type: 'string', ...(mediaType === EVENTS ? events : {}) }, example };
}
