import { describe, expect, expectTypeOf, test } from 'bun:test';
import { ApiError } from './api-error.ts';
import { allItems, createApiClient } from './client.ts';
import type { ApiRequest } from './client-of.ts';

const ID = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';

function clientOf(status: number, body: string, headers: Record<string, string> = {}) {
  const requests: ApiRequest[] = [];
  const client = createApiClient(async (request) => {
    requests.push(request);
    return { status, headers: new Headers(headers), text: async () => body };
  });
  return { client, requests };
}

async function failureOf(action: () => Promise<unknown>): Promise<unknown> {
  try {
    return await action();
  } catch (error) {
    return error;
  }
}

describe('the client', () => {
  test('sends what the row says: method, path, query and body', async () => {
    const { client, requests } = clientOf(200, '{}');
    await client.makeApiKey({ body: { name: 'é' } });
    await client.listExecutions({ query: { limit: 5, endpoint: 'a&b', cursor: undefined } });
    await client.cancelExecution({ parameters: { id: 'a/b' }, query: { token: 't' } });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api-keys',
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: '{"name":"é"}',
      },
      {
        method: 'GET',
        path: '/executions?limit=5&endpoint=a%26b',
        headers: { Accept: 'application/json' },
        body: undefined,
      },
      {
        method: 'POST',
        path: '/executions/a%2Fb/cancel?token=t',
        headers: { Accept: 'application/json' },
        body: undefined,
      },
    ]);
  });

  test('answers with the body, and with undefined for an empty one', async () => {
    const shown = clientOf(200, '{"username":"ada"}').client.showWorkspace();
    expect(await shown).toMatchObject({ username: 'ada' });
    expect(await clientOf(204, '').client.revokeApiKey({ parameters: { id: ID } })).toBeUndefined();
  });

  test('throws what the service refuses with', async () => {
    const body = JSON.stringify({
      error: 'too fast',
      code: 'rate_limited',
      details: { a: 1 },
      execution_id: ID,
    });
    const failure = await failureOf(() => clientOf(429, body, { 'retry-after': '7' }).client.listAgents());
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      message: 'too fast',
      status: 429,
      code: 'rate_limited',
      details: { a: 1 },
      executionId: ID,
      retryAfterSec: 7,
    });
  });

  test.each(['', '<html>', 'null', '[]', '{"error":1,"details":2}'])(
    'takes the refusal from the status when a proxy answered with %p',
    async (body) => {
      expect(await failureOf(() => clientOf(502, body).client.listAgents())).toMatchObject({
        message: 'the service answered with status 502',
        code: 'unknown',
        details: {},
      });
    },
  );

  test('is typed by the rows', () => {
    const { client } = clientOf(200, '{}');
    expectTypeOf(client.showExecution).returns.resolves.toHaveProperty('exit_code');
    expectTypeOf(client.revokeApiKey).returns.resolves.toEqualTypeOf<undefined>();
    expectTypeOf(client).not.toHaveProperty('streamExecution');
    expectTypeOf(client).not.toHaveProperty('callEndpoint');
    expectTypeOf(client).not.toHaveProperty('signInForDevice');
    // @ts-expect-error a body is needed
    void failureOf(() => client.makeApiKey());
    // @ts-expect-error there is no such field
    void failureOf(() => client.makeApiKey({ body: { name: 'a', scope: 'x' } }));
    // @ts-expect-error there is no such state
    void failureOf(() => client.listExecutions({ query: { status: 'done' } }));
  });
});

test('all items of a list are read page by page, and no page more than is wanted', async () => {
  const pages: Record<string, { items: number[]; next_cursor: string | null }> = {
    '': { items: [1, 2], next_cursor: 'b' },
    b: { items: [], next_cursor: 'c' },
    c: { items: [3], next_cursor: null },
  };
  const requests: string[] = [];
  const read = async (cursor = '') => {
    requests.push(cursor);
    return pages[cursor] ?? { items: [], next_cursor: null };
  };
  expect(await Array.fromAsync(allItems(read))).toEqual([1, 2, 3]);
  requests.length = 0;
  for await (const item of allItems(read)) if (item === 2) break;
  expect(requests).toEqual(['']);
});
