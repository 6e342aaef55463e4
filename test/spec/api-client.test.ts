// The typed client of the API (issue of the workspace, 1) against a hub: lists in pages, and refusals.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ApiError } from '@svc/core/api/client/api-error';
import { allItems, createApiClient } from '@svc/core/api/client/client';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { type HubWorld, hubWorld } from '../hub-world.ts';

let world: HubWorld;
let client: ApiClient;
beforeAll(async () => {
  world = await hubWorld();
  client = createApiClient(({ path, method, headers, body }) =>
    world.manage(path, { method, headers, ...(body === undefined ? {} : { body }) }),
  );
});
afterAll(() => world[Symbol.asyncDispose]());

test('a list is read to its end in pages, each item once', async () => {
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await client.makeApiKey({ body: { name } });
  const page = (cursor: string | undefined) => client.listApiKeys({ query: { limit: 2, cursor } });
  const keys = await Array.fromAsync(allItems(page));
  expect(keys.map(({ name }) => name)).toEqual(['svc up', ...names]);
  const first = await client.listApiKeys({ query: { limit: 2 } });
  expect([first.items.length, first.next_cursor]).toEqual([2, first.items[1]?.id ?? 'none']);
});

test('the executions of a workspace are listed in pages, the newest first', async () => {
  const agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const started: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    started.unshift((await client.startExecution({ body: { endpoint: 'job' } })).execution_id);
    await agent.answer('x\n');
  }
  const page = (cursor: string | undefined) =>
    client.listExecutions({ query: { limit: 1, cursor, endpoint: 'job' } });
  const listed = await Array.fromAsync(allItems(page));
  expect(listed.map(({ execution_id: id }) => id)).toEqual(started);
  // To its end.
  await (await world.manage(`/executions/${started[0]}/stream`)).text();
  expect(await client.showExecution({ parameters: { id: started[0] ?? '' } })).toMatchObject({
    output: 'x\n',
  });
});

test('a refusal is thrown with its code and the fields', async () => {
  const failed = client.makeApiKey({ body: { name: '', endpoints: ['Not A Slug'] } });
  const error: unknown = await failed.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 400,
    code: 'invalid_argument',
    details: { fields: [{ field: 'name' }, { field: 'endpoints.0' }] },
  });
});
