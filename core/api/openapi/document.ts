import type { Route } from '../contract/route.ts';
import { AREAS } from '../routes.ts';
import { ComponentBook } from './component-book.ts';
import { operationOf } from './operation.ts';
import { SECURITY_SCHEMES } from './security.ts';

export interface DocumentOptions {
  readonly version: string;
  /** The URL of the hub; `/` for the server of the document. */
  readonly url: string;
}

/** The description of the API in OpenAPI 3.1, made from the table of routes (decision 47, answers of the management API). */
export function openApiDocument({ version, url }: DocumentOptions): Readonly<Record<string, unknown>> {
  const book = new ComponentBook();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [area, { rows }] of Object.entries(AREAS)) {
    for (const [name, row] of Object.entries<Route>(rows)) {
      const { path, servers } = placeOf(row.path, url);
      paths[path] = {
        ...paths[path],
        ...servers,
        [row.method.toLowerCase()]: operationOf(row, { name, area, path }, book),
      };
    }
  }
  return {
    openapi: '3.1.1',
    info: { ...INFO, version },
    servers: [{ url }],
    tags: Object.entries(AREAS).map(([name, { about }]) => ({ name, description: about })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, ...book.components() },
  };
}

const INFO = {
  title: 'svc',
  summary: 'Commands as HTTP endpoints that stream.',
  description: [
    'Names are in snake_case, times in RFC 3339 and UTC. Lists come in pages: `next_cursor` is the `cursor` of the next.',
    'Every error is an `Error`; of `invalid_argument`, `details.fields` says what is wrong with each field.',
    'Objects that come back may get more fields; what is sent is checked strictly, unknown fields included.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

/** OpenAPI considers a path that begins with a parameter ambiguous. It is not: no username equals a first segment. */
function placeOf(path: string, url: string): { readonly path: string; readonly servers?: object } {
  const [, first, rest] = /^\/\{(\w+)\}(\/.+)$/.exec(path) ?? [];
  if (first === undefined || rest === undefined) return { path };
  const server = { url: `${url === '/' ? '' : url}/{${first}}`, variables: { [first]: { default: 'ada' } } };
  return { path: rest, servers: { servers: [server] } };
}
