import { describe, expect, test } from 'bun:test';
import { readJsonArguments } from '../../api/json/json-arguments.ts';
import { endpointFile, endpointsOf, problemsOf } from '../../config/fixtures/svc-yaml.ts';
import { definitionOf, readDefinition } from '../../protocol/definition.ts';
import { bind } from '../bind.ts';
import { collectValues } from './collect-values.ts';

const fileOf = (schema: string, more = '') =>
  endpointFile('args:', `  - { name: order, type: json, required: true, schema: ${schema}${more} }`);
const SCHEMA =
  '{ type: object, required: [n], properties: { n: { type: integer, maximum: 9 }, t: { enum: [a] } }, additionalProperties: false }';

function endpointOf(schema: string) {
  const [endpoint] = endpointsOf(fileOf(schema));
  if (endpoint === undefined) throw new Error('no endpoint');
  return endpoint;
}

function variable(schema: string, body: string): string | undefined {
  const endpoint = endpointOf(schema);
  const values = collectValues({ query: [], body: readJsonArguments(body) }, endpoint.args);
  return bind(endpoint, values).env.SVC_ARG_ORDER;
}

describe('a JSON value', () => {
  test('reaches the environment as it was written', () => {
    expect(variable(SCHEMA, '{"order": {"n": 1.0e0,  "t":"a"} }')).toBe('{"n": 1.0e0,  "t":"a"}');
    expect(variable(SCHEMA, '{"order": "{\\"n\\": 2}"}')).toBe('{"n": 2}');
    expect(variable('{ type: integer }', '{"order": 12345678901234567890}')).toBe('12345678901234567890');
    expect(variable('{}', '{"order": [[], {"a": null}]}')).toBe('[[], {"a": null}]');
  });

  test.each<[string, string, string]>([
    ['another type', '{"order": [1]}', 'does not match the schema: Instance type "array"'],
    ['a property too much', '{"order": {"n": 1, "x": 2}}', 'does not match the schema'],
    ['a property too few', '{"order": {}}', '"n"'],
    ['a value out of bounds', '{"order": {"n": 10}}', 'at /n'],
    ['an inherited name as a property', '{"order": {"n": 1, "__proto__": 1}}', 'does not match the schema'],
    ['text that is no JSON', '{"order": "n: 1"}', 'the value is not JSON: line 1, column 1'],
    ['a name that is twice in it', '{"order": "{\\"n\\": 1, \\"n\\": 2}"}', 'it is there twice'],
    ['null', '{"order": null}', 'not null'],
  ])('is refused with %s', (_, body, message) => {
    expect(() => variable(SCHEMA, body)).toThrow(message);
  });

  test('is refused with a name twice, or too deep, in the body itself', () => {
    expect(() => variable(SCHEMA, '{"order": {"n": 1, "n": 2}}')).toThrow('it is there twice');
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    expect(() => variable('{}', `{"order": ${deep}}`)).toThrow('at most 32 levels');
    expect(() => variable('{}', `{"order": ${JSON.stringify(deep)}}`)).toThrow('at most 32 levels');
    const wide = JSON.stringify(Array.from({ length: 5_000 }, () => 0));
    expect(() => variable('{}', `{"order": ${wide}}`)).toThrow('5001 values');
  });

  test('with the slowest accepted schema is checked in a moment', () => {
    const anyOf = Array.from({ length: 250 }, () => '{ type: "null" }').join(', ');
    const schema = `{ additionalProperties: { anyOf: [${anyOf}] } }`;
    const value = Object.fromEntries(Array.from({ length: 4_900 }, (_, at) => [`k${at}`, 0]));
    const before = performance.now();
    expect(() => variable(schema, JSON.stringify({ order: value }))).toThrow('does not match the schema');
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('survives its wire form', () => {
    const endpoint = endpointOf(SCHEMA);
    expect(readDefinition(JSON.parse(JSON.stringify(definitionOf(endpoint))))).toEqual({
      kind: 'endpoint',
      endpoint,
    });
  });
});

describe('a definition is refused', () => {
  test.each<[string, string, string]>([
    [
      'with a keyword that could take long',
      '{ pattern: "(a+)+$" }',
      'schema.pattern is no keyword that svc checks',
    ],
    ['with one inside', '{ properties: { a: { items: { $ref: "#" } } } }', 'schema.properties.a.items.$ref'],
    ['with a misspelt keyword', '{ propertys: {} }', 'schema.propertys'],
    ['with a type that JSON has not', '{ type: map }', 'schema.type'],
    ['with a bound that is none', '{ minLength: -1 }', 'schema.minLength'],
    ['with a multiple of nothing', '{ multipleOf: 0 }', 'schema.multipleOf'],
    ['with a list that is none', '{ anyOf: { type: string } }', 'schema.anyOf'],
    ['with names that are none', '{ required: [1] }', 'schema.required'],
  ])('%s', (_, schema, message) => {
    expect(problemsOf(fileOf(schema)).join()).toContain(message);
  });

  test('where the schema is not of a JSON value, or the value a word or a secret', () => {
    expect(problemsOf(endpointFile('args: [{ name: a, schema: {} }]')).join()).toContain(
      'needs "type: json"',
    );
    expect(problemsOf(fileOf('{}', ', secret: true')).join()).toContain('cannot be secret');
    expect(problemsOf(fileOf('{}', ', pattern: a')).join()).toContain('pattern is for texts');
    expect(problemsOf(fileOf('{}', ', default: "{"')).join()).toContain('not JSON');
    const text = fileOf('{}').replace('command: echo hi', 'command: tool {{order}}');
    expect(problemsOf(text).join()).toContain('a JSON value, which is no word');
    expect(problemsOf(fileOf(`{ title: ${'a'.repeat(9_000)} }`)).join()).toContain(
      'more than 8192 characters',
    );
  });
});
