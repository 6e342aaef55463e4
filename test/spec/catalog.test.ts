// The endpoints that a key may call, for programs: a list with JSON Schema and an OpenAPI document of the workspace's own
// endpoints.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { signIn } from '../people.ts';
import { makePipeline, postOf } from '../pipelines.ts';

const SIZE = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] };

let world: HubWorld;
let keys: { all: string; some: string };
beforeAll(async () => {
  world = await hubWorld();
  await world.agent({
    endpoints: [
      {
        name: 'deploy',
        description: 'Deploys a version.',
        command: './deploy {{version}} {{target}} {{count}}',
        approval_required: true,
        args: [
          { name: 'version', type: 'text', required: true, max_length: 40 },
          { name: 'target', choices: ['staging', 'production'], default: 'staging' },
          { name: 'count', type: 'integer', default: 3 },
          { name: 'pin', secret: true, default: 'hunter22' },
        ],
      },
      { name: 'space', command: 'df', method: 'GET', transform: { parse: 'table' } },
      { name: 'open', command: 'true', public: true },
    ],
  });
  const transform = { parse: 'json', schema: SIZE };
  const size = await world.manage(
    '/endpoints',
    postOf({ name: 'size', tags: ['disk'], command: 'true', transform }),
  );
  expect(size.status).toBe(201);
  const nodes = [{ id: 'space', endpoint: 'space' }];
  const fields = [
    { name: 'ref', type: 'string', required: true },
    { name: 'size', type: 'number' },
  ];
  await makePipeline(world, {
    slug: 'ship',
    tags: ['team-a'],
    trigger: { type: 'webhook', input_schema: fields },
    nodes,
  });
  await makePipeline(world, { slug: 'signed', trigger: { type: 'webhook', secret: 'a long secret' }, nodes });
  const made = await world.manage('/api-keys', postOf({ name: 'some', endpoints: ['space', 'ship'] }));
  keys = { all: world.start.apiKey, some: ((await made.json()) as { token: string }).token };
});
afterAll(() => world[Symbol.asyncDispose]());

const get = (path: string, key?: string) =>
  fetch(`${world.hub.baseUrl}/v1/${world.start.username}${path}`, {
    headers: key === undefined ? {} : { 'x-api-key': key },
  });
const listed = async (key: string, query = '') =>
  (await (await get(query, key)).json()) as { items: Record<string, unknown>[]; next_cursor: string | null };

describe('the list', () => {
  test('has what the key may call, with arguments as JSON Schema', async () => {
    const { items } = await listed(keys.all);
    expect(items.map(({ name }) => name)).toEqual(['deploy', 'open', 'ship', 'size', 'space']);
    expect(items[0]).toEqual({
      kind: 'endpoint',
      name: 'deploy',
      url: world.urlOf('deploy'),
      description: 'Deploys a version.',
      methods: ['GET', 'POST'],
      public: false,
      approval_required: true,
      result: 'output',
      arguments: {
        type: 'object',
        properties: {
          version: { type: 'string', maxLength: 40 },
          target: { type: 'string', enum: ['staging', 'production'], default: 'staging' },
          count: { type: 'integer', default: 3 },
          pin: { type: 'string', writeOnly: true },
        },
        required: ['version'],
        additionalProperties: false,
      },
    });
    expect(items[2]).toMatchObject({
      kind: 'pipeline',
      tags: ['team-a'],
      methods: ['POST'],
      result: 'steps',
      arguments: { properties: { ref: { type: 'string' }, size: { type: 'number' } }, required: ['ref'] },
    });
    expect(items[3]).toMatchObject({ name: 'size', tags: ['disk'], result: 'data', data_schema: SIZE });
    expect(items[4]).toMatchObject({ methods: ['GET'], result: 'data' });
    expect(items[4]).not.toHaveProperty('data_schema');
  });

  test('has the endpoints of a limited key, and the public ones, page by page', async () => {
    expect((await listed(keys.some)).items.map(({ name }) => name)).toEqual(['open', 'ship', 'space']);
    const first = await listed(keys.some, '?limit=2');
    expect([first.items.length, first.next_cursor]).toEqual([2, 'ship']);
    const rest = await listed(keys.some, '?limit=2&cursor=ship');
    expect([rest.items.map(({ name }) => name), rest.next_cursor]).toEqual([['space'], null]);
  });

  test('is for callers of this workspace; others learn nothing', async () => {
    expect((await get('')).status).toBe(401);
    const stranger = await signIn(world, 'lin@example.org');
    await stranger.ask('PUT', '/account/username', { body: { username: 'lin' } });
    const token = String((await stranger.ask('POST', '/api-keys', { body: { name: 'own' } })).body.token);
    const foreign = await get('', token);
    const absent = await fetch(`${world.hub.baseUrl}/v1/nobody`, { headers: { 'x-api-key': token } });
    expect([foreign.status, await foreign.json()]).toEqual([absent.status, await absent.json()]);
    expect(absent.status).toBe(404);
  });

  test('can be read from a page of another site, and is no call', async () => {
    const calls = async () => {
      const text = await (await fetch(`${world.hub.hubUrl}/metrics`)).text();
      const counts = [...text.matchAll(/^svc_call_duration_seconds_count\{.*\} (\d+)$/gm)];
      expect(counts.length).toBeGreaterThan(0);
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await calls();
    const answer = await get('', keys.all);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await calls()).toBe(before);
  });
});

describe('the document', () => {
  const described = async (key: string) => (await (await get('/openapi.json', key)).json()) as Document;
  interface Document {
    readonly paths: Record<
      string,
      Record<
        string,
        {
          parameters?: object[];
          requestBody?: object;
          tags?: string[];
          responses?: Record<number, { content: { 'application/json': { schema: object } } }>;
        }
      >
    >;
    readonly servers: { readonly url: string }[];
  }

  test('passes the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } });
    const source = JSON.stringify(await described(keys.all), null, 2);
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).toEqual([]);
  });

  test('has one path for each endpoint and pipeline that the key may call', async () => {
    const { paths, servers } = await described(keys.some);
    expect(Object.keys(paths)).toEqual(['/open', '/ship', '/space']);
    expect(servers).toEqual([{ url: `${world.hub.baseUrl}/v1/${world.start.username}` }]);
    const all = (await described(keys.all)).paths['/deploy'];
    expect(all?.get?.parameters).toContainEqual({
      name: 'count',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: 3 },
    });
    expect(all?.post?.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { required: ['version'], additionalProperties: false } } },
    });
    const { '/size': size, '/ship': ship } = (await described(keys.all)).paths;
    expect([size?.get?.tags, ship?.post?.tags]).toEqual([['disk'], ['team-a']]);
    expect(size?.get?.responses?.[200]?.content['application/json'].schema).toMatchObject({
      allOf: [{}, { properties: { data: SIZE } }],
    });
    expect((await get('/openapi.json')).status).toBe(401);
  });
});
