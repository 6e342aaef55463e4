import { expect, test } from 'bun:test';
import { configJsonSchema } from './json-schema.ts';

interface Schema {
  readonly description?: string;
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const root = configJsonSchema() as Schema;
const endpoint = root.properties?.endpoints?.items;
const argument = endpoint?.properties?.args?.items;
const transform = endpoint?.properties?.transform;
const pipeline = root.properties?.pipelines?.items;
const trigger = pipeline?.properties?.trigger;
const nodes = pipeline?.properties?.nodes?.items?.anyOf ?? [];
const edge = pipeline?.properties?.edges?.items;

test('the schema describes every key to an editor and allows no others', () => {
  expect(nodes).toHaveLength(2);
  for (const schema of [root, endpoint, argument, transform, pipeline, trigger, edge, ...nodes]) {
    expect(schema?.additionalProperties).toBe(false);
    for (const key of Object.values(schema?.properties ?? {})) expect(key.description).toMatch(/^[A-Z].+\.$/);
  }
});

/** Every schema of a property, at any depth, with its path. */
function properties(schema: Schema, path = ''): [path: string, property: Schema][] {
  const { items, anyOf = [], additionalProperties } = schema;
  const map = typeof additionalProperties === 'object' ? [additionalProperties as Schema] : [];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, property]): [string, Schema][] => [
      [`${path}/${key}`, property],
      ...properties(property, `${path}/${key}`),
    ]),
    ...[...(items ? [items] : []), ...anyOf, ...map].flatMap((inner) => properties(inner, path)),
  ];
}

test('the schema has an absolute URI as its id, and each property at any depth a description', () => {
  expect(new URL((root as { $id?: string }).$id ?? '').protocol).toBe('urn:');
  const all = properties(root);
  expect(all.length).toBeGreaterThan(60);
  expect(all.filter(([, { description }]) => !description?.endsWith('.')).map(([path]) => path)).toEqual([]);
});

test('only what has no default is required', () => {
  expect([root, endpoint, argument, transform, pipeline, edge].map((schema) => schema?.required)).toEqual([
    ['version', 'endpoints'],
    ['name', 'command'],
    ['name'],
    ['parse'],
    ['name', 'nodes'],
    ['from', 'to'],
  ]);
});

test('ranges, choices and defaults are in it', () => {
  expect(endpoint?.properties).toMatchObject({
    timeout: { type: 'integer', minimum: 1, maximum: 86_400, default: 60 },
    method: { enum: ['GET', 'POST'] },
    approval_timeout_mins: { default: 30 },
  });
  expect(argument?.properties?.default).toMatchObject({
    anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'array' }],
  });
});
