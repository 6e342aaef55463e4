import type { RouteAccess } from '../contract/access.ts';
import type { JsonAnswer, MediaAnswer, RouteAnswer } from '../contract/answer.ts';
import { errorBody } from '../contract/error-body.ts';
import { executionEvent } from '../contract/event-schema.ts';
import { PATH_PARAMETERS } from '../contract/path-parameters.ts';
import { parametersOf, type Route } from '../contract/route.ts';
import type { ComponentBook, OpenApiSchema } from './component-book.ts';
import { refusalResponses, refusalStatuses } from './refusals.ts';
import { securityOf, whoMay } from './security.ts';

interface Place {
  readonly name: string;
  readonly area: string;
  /** The operation in the document. */
  readonly path: string;
}

/** Turns a row into an OpenAPI operation. */
export function operationOf(row: Route, { name, area, path }: Place, book: ComponentBook): object {
  const { summary, description, access } = row;
  const parameters = [...pathParameters(path), ...queryParameters(row, book), ...headerParameters(row)];
  return {
    operationId: name,
    summary,
    description: [description, whoMay(access)].filter((text) => text !== undefined).join('\n\n'),
    tags: [area],
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(row, book),
    responses: answersOf(row, book),
  };
}

function requestBody({ body, form, scimDocument }: Route, book: ComponentBook): object {
  if (form !== undefined)
    return {
      requestBody: {
        required: true,
        description: form,
        content: { 'multipart/form-data': { schema: { type: 'object', additionalProperties: true } } },
      },
    };
  if (scimDocument !== undefined)
    return {
      requestBody: {
        required: true,
        description: scimDocument,
        content: { 'application/scim+json': { schema: { type: 'object', additionalProperties: true } } },
      },
    };
  if (body === undefined) return {};
  const { schema, example, isRequired } = body;
  const content = { 'application/json': { schema: book.requestSchema(schema), example } };
  return { requestBody: { required: isRequired, content } };
}

function pathParameters(path: string): object[] {
  return parametersOf(path).map((name) => {
    const { description } = PATH_PARAMETERS[name];
    const format = name === 'id' ? { format: 'uuid' } : {};
    return { name, in: 'path', required: true, description, schema: { type: 'string', ...format } };
  });
}

function queryParameters({ query, access }: Route, book: ComponentBook): object[] {
  if (query === undefined || query === 'ignored') return [];
  return Object.entries(book.querySchemas(query))
    .filter(([name]) => !(name === 'token' && takesReadToken(access)))
    .map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: !query.shape[name]?.safeParse(undefined).success,
      description,
      schema: schema as OpenApiSchema,
    }));
}

/** This parameter is a credential and is listed under security. */
function takesReadToken(access: RouteAccess): boolean {
  return access.kind === 'caller' && access.credentials.includes('read_token');
}

const WORKSPACE = 'The username of the workspace to act in, for members of several; the own one without it.';

function headerParameters({ headers = {}, access }: Route): object[] {
  const isOfMember = 'credentials' in access && (access.credentials as readonly string[]).includes('session');
  const all = { ...headers, ...(isOfMember ? { 'X-Svc-Workspace': WORKSPACE } : {}) };
  return Object.entries(all).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

const EVENTS = 'text/event-stream';

/** Every answer of a row by status: its own, its refusals, and the one for a bug. */
function answersOf(row: Route, book: ComponentBook): Record<string, object> {
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
      return {
        description,
        content: { [answer.mediaType ?? 'application/json']: { schema: either, example } },
      };
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
