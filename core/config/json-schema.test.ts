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

test('an editor is told what every key does and that there are no others', () => {
  expect(nodes).toHaveLength(2);
  for (const schema of [root, endpoint, argument, transform, pipeline, trigger, edge, ...nodes]) {
    expect(schema?.additionalProperties).toBe(false);
    for (const key of Object.values(schema?.properties ?? {})) expect(key.description).toMatch(/^[A-Z].+\.$/);
  }
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
  expect(argument?.properties?.default).toMatchObject({ type: ['string', 'number', 'boolean'] });
});
