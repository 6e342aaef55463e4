import { describe, expect, test } from 'bun:test';
import { readDefinition } from '../protocol/definition.ts';
import { promisedResult, textResult } from './call-result.ts';
import { inputSchemaOf, requiredSecret, toolOfEndpoint } from './tool.ts';
import { findTools, isSearched, isSelected, MAX_LISTED_TOOLS } from './tool-selection.ts';

function toolOf(definition: Readonly<Record<string, unknown>>) {
  const read = readDefinition({ name: 'job', command: 'true', ...definition });
  if (read.kind === 'problems') throw new Error(read.problems.join('; '));
  return { endpoint: read.endpoint, tool: toolOfEndpoint(read.endpoint, 'build-1') };
}

describe('an endpoint as a tool', () => {
  test('has the types of its arguments as a schema, and no secret', () => {
    const args = [
      { name: 'count', type: 'integer', default: '3' },
      { name: 'target', choices: ['eu', 'us'], required: true },
      { name: 'id', pattern: '[a-z]+|x', max_length: 9, description: 'Which one' },
      { name: 'pin', secret: true },
    ];
    const { tool } = toolOf({ command: 'job {{count}} {{target}} {{id}} "$SVC_ARG_PIN"', args });
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        count: { type: 'integer', default: 3 },
        target: { type: 'string', enum: ['eu', 'us'] },
        id: { type: 'string', maxLength: 9, pattern: '^(?:[a-z]+|x)$', description: 'Which one' },
      },
      required: ['target'],
      additionalProperties: false,
    });
  });

  test('names the endpoint that lists the accepted values of an argument, and what to call it with', () => {
    const args = [
      { name: 'env', choices_from: 'envs', required: true },
      { name: 'service', choices_from: 'services', choices_args: { env: '{{env}}', kind: 'web' } },
    ];
    const { properties = {} } = toolOf({ command: 'job {{env}} {{service}}', args }).tool.inputSchema;
    expect(properties.env?.description).toEndWith(
      'The endpoint "envs" lists the values that are accepted now',
    );
    expect(properties.service?.description).toEndWith(
      'The endpoint "services", called with env={{env}} kind=web, lists the values that are accepted now',
    );
  });

  test('is described with its command, its agent and its approvers; nothing in that hides', () => {
    const { tool } = toolOf({
      command: 'deploy \u202Ex',
      description: 'Ships it',
      approval_required: true,
      approvers: ['admin', 'lin@example.com'],
    });
    expect(tool.description).toBe(
      'Ships it. Runs `deploy ‹U+202E›x` on agent build-1; needs approval by admin or lin@example.com.',
    );
  });

  test('promises data where its transform has a schema; an answer without data is then an error', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    expect(toolOf({ transform: { parse: 'json', schema } }).tool.outputSchema).toEqual(schema);
    expect(toolOf({ transform: { parse: 'json' } }).tool).not.toHaveProperty('outputSchema');
    const running = textResult('Still running', { isError: false });
    expect(promisedResult(running, false)).toEqual(running);
    expect(promisedResult(running, true)).toMatchObject({ isError: true, content: [{}, { type: 'text' }] });
    const data = { ...running, structuredContent: { n: 1 } };
    expect(promisedResult(data, true)).toEqual(data);
  });

  test('does not exist where a caller must give a secret', () => {
    const args = [{ name: 'pin', secret: true, required: true }];
    expect(requiredSecret(toolOf({ command: 'true "$SVC_ARG_PIN"', args }).endpoint)).toBe('pin');
    expect(requiredSecret(toolOf({}).endpoint)).toBeUndefined();
  });
});

describe('the tools of an address', () => {
  const tools = ['deploy-eu', 'deploy-us', 'disk'].map((name) => toolOf({ name }).tool);
  const all = { names: undefined, isReadOnly: false, mode: undefined } as const;

  test('are selected by name, by the beginning of a name, and by what they do', () => {
    const named = (names: string[]) =>
      tools.filter((tool) => isSelected({ ...all, names }, tool)).map(({ name }) => name);
    expect(named(['deploy-*', 'disk'])).toEqual(['deploy-eu', 'deploy-us', 'disk']);
    expect(named(['deploy'])).toEqual([]);
    expect(tools.filter((tool) => isSelected({ ...all, isReadOnly: true }, tool))).toEqual([]);
    expect(isSelected({ ...all, isReadOnly: true }, toolOf({ effects: 'read' }).tool)).toBe(true);
  });

  test('are searched when there are too many, or when it is asked for', () => {
    expect(isSearched(all, MAX_LISTED_TOOLS)).toBe(false);
    expect(isSearched(all, MAX_LISTED_TOOLS + 1)).toBe(true);
    expect(isSearched({ ...all, mode: 'list' }, 1_000)).toBe(false);
    expect(isSearched({ ...all, mode: 'search' }, 1)).toBe(true);
  });

  test('are found by their words, the best name first', () => {
    expect(findTools(tools, 'deploy US').map(({ name }) => name)).toEqual(['deploy-us', 'deploy-eu']);
    expect(findTools(tools, 'nothing')).toEqual([]);
    expect(findTools(tools, '')).toHaveLength(3);
  });
});

test('a list is an array of what its items are, and a JSON value what its schema says', () => {
  const argument = { required: true, inferred: false, secret: false, allowDash: false } as const;
  const schema = { type: 'object', properties: { n: { type: 'integer' } } } as const;
  const { properties } = inputSchemaOf([
    { ...argument, name: 'some', type: 'list', items: 'enum', choices: ['a', 'b'], maxItems: 2 },
    { ...argument, name: 'counts', type: 'list', items: 'integer', required: false, default: '[1,2]' },
    { ...argument, name: 'order', type: 'json', schema },
  ]);
  expect(properties).toEqual({
    some: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
    counts: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 100, default: [1, 2] },
    order: schema,
  });
});
