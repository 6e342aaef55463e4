// The description names every JSON error that an operation answers: decision 47, answers of the management API.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { openApiDocument } from '@svc/core/api/openapi/document';
import { ROUTES, type RouteName } from '@svc/core/api/routes';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { exchange, readAnswer } from '../raw-http.ts';

interface Described {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly $ref?: string;
}
interface Document {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Described> }>
  >;
  readonly components: { readonly responses: Record<string, Described> };
}

const { paths, components } = openApiDocument({ version: '0', url: '/' }) as unknown as Document;
const operations = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);
const rows = (Object.entries(ROUTES) as [RouteName, Route][]).filter(([name]) => name !== 'connectAgent');

let world: HubWorld;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
});
afterAll(() => world[Symbol.asyncDispose]());

const WRONG: readonly [what: string, suffix: string, headers: readonly string[], body: string][] = [
  ['nothing', '', [], ''],
  ['two hosts', '', ['Host: other.example'], ''],
  ['a prefetch', '', ['Sec-Purpose: prefetch'], ''],
  ['a query that is no UTF-8', '?x=%ff', [], ''],
  ['a form from another site', '', ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'], 'a=b'],
  ['text', '', ['Content-Type: text/plain'], 'x'],
  ['half an object', '', ['Content-Type: application/json'], '{'],
  ['a body that is too large', '', ['Content-Type: application/json', 'Content-Length: 99999999'], ''],
];

/** The media types that the description has for a status. */
function described(name: string, status: number): readonly string[] {
  const responses = operations.get(name)?.responses ?? {};
  const found = responses[status] ?? (status === 500 ? responses.default : undefined);
  const response =
    found?.$ref === undefined ? found : components.responses[found.$ref.split('/').at(-1) ?? ''];
  return Object.keys(response?.content ?? {});
}

async function send(row: Route, [, suffix, headers, body]: (typeof WRONG)[number]) {
  const path = parametersOf(row.path).reduce(
    (text, name) => text.replace(`{${name}}`, name === 'username' ? world.start.username : 'x'.repeat(8)),
    row.path,
  );
  const length = headers.some((header) => header.startsWith('Content-Length'))
    ? []
    : [`Content-Length: ${body.length}`];
  const lines = [
    `${row.method} ${path}${suffix} HTTP/1.1`,
    `Host: ${new URL(world.hub.hubUrl).host}`,
    'Connection: close',
  ];
  const head = [...lines, ...headers, ...(row.method === 'GET' && body === '' ? [] : length)].join('\r\n');
  return readAnswer(await exchange(world.hub.hubUrl, `${head}\r\n\r\n${body}`));
}

test.each(WRONG)('of %s, with JSON errors that the operation names', async (what, suffix, headers, body) => {
  const unnamed: string[] = [];
  for (const [name, row] of rows) {
    // A hub does not answer a body whose rest never comes.
    if (headers.some((header) => header.startsWith('Content-Length')) && row.body === undefined) continue;
    const { status, headers: answered } = await send(row, [what, suffix, headers, body]);
    if (status < 400 || !answered.get('content-type')?.startsWith('application/json')) continue;
    const types = described(name, status);
    // A request that is refused before its path is read is answered as JSON, also at the paths of SCIM.
    if (!types.includes('application/json') && !types.includes('application/scim+json'))
      unnamed.push(`${name} ${status}`);
  }
  expect(unnamed).toEqual([]);
});
