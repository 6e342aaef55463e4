import type { ToolSchema } from '../../mcp/json-schema.ts';
import { errorBody } from '../contract/error-body.ts';
import { ComponentBook } from '../openapi/component-book.ts';
import { SECURITY_SCHEMES } from '../openapi/security.ts';
import { pendingCall } from '../routes/approval-schemas.ts';
import { acceptedExecution, acceptedRunSchema, callResult, runResult } from '../routes/calls.ts';
import type { Callable } from './callable.ts';

export interface WorkspaceDocumentOptions {
  readonly username: string;
  /** The URL of the workspace's calls, without a slash at the end. */
  readonly url: string;
  readonly version: string;
}

/** The description in OpenAPI 3.1 of what a caller may call in a workspace (decision 47, answers of the management API). */
export function workspaceDocument(
  callables: readonly Callable[],
  { username, url, version }: WorkspaceDocumentOptions,
): Readonly<Record<string, unknown>> {
  const book = new ComponentBook();
  const answers = answersOf(book);
  const { apiKey, accessToken } = SECURITY_SCHEMES;
  return {
    openapi: '3.1.1',
    info: {
      title: `Endpoints of ${username}`,
      version,
      summary: 'Commands as HTTP endpoints.',
    },
    servers: [{ url }],
    paths: Object.fromEntries(
      callables.map((callable) => [`/${callable.name}`, pathItem(callable, answers)]),
    ),
    components: {
      securitySchemes: { apiKey, accessToken },
      schemas: book.components().schemas,
    },
  };
}

type Answers = ReturnType<typeof answersOf>;

function answersOf(book: ComponentBook) {
  return {
    call: book.answerSchema(callResult),
    run: book.answerSchema(runResult),
    acceptedCall: { anyOf: [book.answerSchema(acceptedExecution), book.answerSchema(pendingCall)] },
    acceptedRun: book.answerSchema(acceptedRunSchema),
    error: book.answerSchema(errorBody),
  };
}

function pathItem(callable: Callable, answers: Answers): Record<string, object> {
  return Object.fromEntries(
    callable.methods.map((method) => [method.toLowerCase(), operation(callable, method, answers)]),
  );
}

function operation(callable: Callable, method: 'GET' | 'POST', answers: Answers): object {
  const { kind, name, description, tags, approval_required: needsApproval } = callable;
  const keys = [{ apiKey: [] }, { accessToken: [] }];
  const about = [description, needsApproval ? 'Each call waits for approval.' : undefined];
  const text = about.filter((part) => part !== undefined).join('\n\n');
  return {
    operationId: method === 'GET' ? `${name}.get` : name,
    summary: `Call the ${kind} ${name}`,
    ...(text === '' ? {} : { description: text }),
    ...(tags === undefined ? {} : { tags }),
    security: callable.public ? [{}, ...keys] : keys,
    ...valuesOf(callable, method),
    responses: responses(callable, answers),
  };
}

/** Where the values of a call are: in the query, or as JSON in the body. */
function valuesOf({ stdin, arguments: schema }: Callable, method: 'GET' | 'POST'): object {
  if (stdin !== undefined) {
    const description = 'The standard input of the command.';
    return {
      parameters: parameters(schema),
      requestBody: { description, required: false, content: { '*/*': { schema: {} } } },
    };
  }
  return method === 'GET' ? { parameters: parameters(schema) } : { requestBody: bodyOf(schema) };
}

function parameters(schema: ToolSchema): object[] {
  const { properties = {}, required = [] } = withoutFiles(schema);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function bodyOf(schema: ToolSchema): object {
  const files = Object.entries(schema.properties ?? {}).filter(([, { format }]) => format === 'binary');
  const isFileNeeded = files.some(([name]) => schema.required?.includes(name));
  return {
    required: (schema.required ?? []).length > 0,
    content: {
      ...(isFileNeeded ? {} : { 'application/json': { schema: withoutFiles(schema) } }),
      ...(files.length === 0 ? {} : { 'multipart/form-data': { schema } }),
    },
  };
}

function withoutFiles({ properties = {}, ...schema }: ToolSchema): ToolSchema {
  const values = Object.entries(properties).filter(([, { format }]) => format !== 'binary');
  return { ...schema, properties: Object.fromEntries(values) };
}

/** The answer of a call, with the schema of `data` where the endpoint promises one. */
function callSchema({ data_schema: data }: Callable, answers: Answers): object {
  return data === undefined ? answers.call : { allOf: [answers.call, { properties: { data } }] };
}

function responses(callable: Callable, answers: Answers): object {
  const { kind } = callable;
  const isEndpoint = kind === 'endpoint';
  const events = { type: 'string', contentMediaType: 'text/event-stream' };
  return {
    200: {
      description: 'The result, or with `Accept: text/event-stream` the events as they come.',
      content: {
        'application/json': { schema: isEndpoint ? callSchema(callable, answers) : answers.run },
        'text/event-stream': { schema: events },
      },
    },
    202: {
      description: 'It continues without the caller, or waits for approval.',
      content: { 'application/json': { schema: isEndpoint ? answers.acceptedCall : answers.acceptedRun } },
    },
    '4XX': { description: 'The call is wrong.', content: { 'application/json': { schema: answers.error } } },
    '5XX': { description: 'There is no result.', content: { 'application/json': { schema: answers.error } } },
  };
}
