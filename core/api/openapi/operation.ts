import type { RouteAccess } from '../contract/access.ts';
import { PATH_PARAMETERS } from '../contract/path-parameters.ts';
import { parametersOf, type Route } from '../contract/route.ts';
import { answersOf } from './answers.ts';
import type { ComponentBook, OpenApiSchema } from './component-book.ts';
import { securityOf, whoMay } from './security.ts';

interface Place {
  readonly name: string;
  readonly area: string;
  /** The operation in the document. */
  readonly path: string;
}

/** Turns a row into an OpenAPI operation. */
export function operationOf(row: Route, { name, area, path }: Place, book: ComponentBook): object {
  const { summary, description, access, body } = row;
  const parameters = [...pathParameters(path), ...queryParameters(row, book), ...headerParameters(row)];
  return {
    operationId: name,
    summary,
    description: [description, whoMay(access)].filter((text) => text !== undefined).join('\n\n'),
    tags: [area],
    security: securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isRequired,
            content: {
              'application/json': { schema: book.requestSchema(body.schema), example: body.example },
            },
          },
        }),
    responses: answersOf(row, book),
  };
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
