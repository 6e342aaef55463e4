import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { Refusal } from '../../refusal.ts';
import type { ValueRequest } from '../call-values.ts';
import { OPEN } from './access.ts';
import { empty } from './answer.ts';
import { body, optionalBody } from './body.ts';
import { PAGE_QUERY } from './fields.ts';
import { readParameters, readRouteBody, readRouteQuery } from './read-request.ts';
import type { Route } from './route.ts';

const route: Route = {
  method: 'POST',
  path: '/things/{id}/{slug}',
  summary: 'Change a thing',
  access: OPEN,
  answers: { 204: empty('It is changed.') },
};
const schema = z.strictObject({ name: z.string({ error: 'a name' }) });

async function outcomeOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code} ${error.message}`;
    throw error;
  }
}

function sent(bytes: string | Uint8Array, headers: Record<string, string> = {}): ValueRequest {
  const chunk = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  const all = new Headers({
    'content-type': 'application/json',
    'content-length': String(chunk.length),
    ...headers,
  });
  return new Request('http://hub/', { method: 'POST', headers: all, body: chunk as Uint8Array<ArrayBuffer> });
}

describe('a query', () => {
  const listed: Route = { ...route, query: z.strictObject({ ...PAGE_QUERY, token: z.string().optional() }) };
  const table: [query: string, outcome: unknown][] = [
    ['', { limit: 20 }],
    ['limit=5&cursor=a%20b', { limit: 5, cursor: 'a b' }],
    ['limit=0', 'invalid_argument limit: a whole number from 1 to 100 expected'],
    ['limit=101', 'invalid_argument limit: a whole number from 1 to 100 expected'],
    ['limit=1e1', 'invalid_argument limit: a whole number from 1 to 100 expected'],
    ['limit=', 'invalid_argument limit: a whole number from 1 to 100 expected'],
    ['limit=5&limit=5', 'invalid_argument limit: it is given twice; give it once'],
    ['limt=5', 'invalid_argument limt: there is no such field; did you mean "limit"?'],
    ['token=a%00', 'invalid_argument token: text without NUL expected'],
  ];
  test.each(table)('%p is read by its row', async (query, outcome) => {
    expect(await outcomeOf(() => readRouteQuery(listed, query))).toEqual(outcome);
  });

  test('is empty where the row has none', async () => {
    expect(await outcomeOf(() => readRouteQuery(route, ''))).toEqual({});
    expect(await outcomeOf(() => readRouteQuery(route, 'a=1'))).toBe(
      'invalid_argument a: there is no such parameter',
    );
  });

  test('may be anything where the row ignores it', async () => {
    expect(await outcomeOf(() => readRouteQuery({ ...route, query: 'ignored' }, 'a=%ff&a=%00'))).toEqual({});
  });
});

describe('a body', () => {
  const required: Route = { ...route, body: body(schema, { name: 'x' }) };
  const read = (row: Route, request: ValueRequest) => outcomeOf(() => readRouteBody(row, request));

  test('is what its schema makes of it', async () => {
    expect(await read(required, sent('{"name":"Ada"}'))).toEqual({ name: 'Ada' });
  });

  test.each([
    ['with a length', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('%s that breaks off is refused', async (_, headers) => {
    const { method, headers: all } = sent('{}', headers);
    const cause = new Error('closed');
    const request: ValueRequest = {
      ...{ method, headers: all },
      body: { getReader: () => ({ read: () => Promise.reject(cause) }) },
      bytes: () => Promise.reject(cause),
    };
    expect(await read(required, request)).toBe('invalid_argument the body broke off');
  });

  test('in chunks is counted while it is read, whatever its length says', async () => {
    const request = sent(' '.repeat(1024 * 1024 + 1), {
      'transfer-encoding': 'chunked',
      'content-length': '2',
    });
    expect(await read(required, request)).toBe('payload_too_large the body is larger than 1048576 bytes');
  });

  const table: [what: string, request: ValueRequest, outcome: string][] = [
    ['that is missing', sent(''), 'invalid_argument the body: a JSON object expected'],
    [
      'that is no JSON',
      sent('{'),
      'invalid_json the body is not JSON: line 1, column 2: a name in double quotes expected',
    ],
    ['that is no UTF-8', sent(new Uint8Array([0x22, 0xff, 0x22])), 'invalid_json the body is not UTF-8'],
    ['that is no object', sent('[]'), 'invalid_argument the body: an object expected'],
    [
      'with a name that stands twice',
      sent('{"name":"a","name":"b"}'),
      'invalid_argument name: it is given twice; give it once',
    ],
    ['with a field too many', sent('{"name":"a","x":1}'), 'invalid_argument x: there is no such field'],
    [
      'of another type',
      sent('name=a', { 'content-type': 'text/plain' }),
      'unsupported_media_type a body of type "text/plain": application/json in UTF-8 expected',
    ],
    [
      'that is too large',
      sent('{}', { 'content-length': '1048577' }),
      'payload_too_large the body is larger than 1048576 bytes',
    ],
  ];
  test.each(table)('%s is refused', async (_what, request, outcome) => {
    expect(await read(required, request)).toBe(outcome);
  });

  test('is an empty object where it may be left out and is', async () => {
    const optional: Route = { ...route, body: optionalBody(schema.partial(), {}) };
    expect(await read(optional, sent(''))).toEqual({});
    expect(await read(optional, sent('{"name":1}'))).toBe('invalid_argument name: a name expected');
  });

  test('is not read where the row has none', async () => {
    expect(await read(route, sent('{'))).toBeUndefined();
  });
});

describe('a path', () => {
  const id = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';

  test('gives its words to the handler', async () => {
    expect(await outcomeOf(() => readParameters(route, { id, slug: 'a b' }))).toEqual({ id, slug: 'a b' });
  });

  test.each([
    ['1', 'x'],
    [`${id}0`, 'x'],
    [id, ''],
    [id, 'a\0'],
    [id, 'x'.repeat(201)],
  ])('with %p and %p leads nowhere', async (given, slug) => {
    expect(await outcomeOf(() => readParameters(route, { id: given, slug }))).toBe(
      'not_found nothing is here',
    );
  });
});
