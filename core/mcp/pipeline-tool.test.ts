import { expect, test } from 'bun:test';
import type { Endpoint } from '../endpoint/definition.ts';
import { checkPipeline } from '../pipeline/definition/check-pipeline.ts';
import { readDefinition } from '../protocol/definition.ts';
import { toolOfPipeline } from './pipeline-tool.ts';

function endpoint(name: string, keys: object): [string, Endpoint] {
  const read = readDefinition({ name, command: 'true', ...keys });
  if (read.kind === 'problems') throw new Error(read.problems.join('; '));
  return [name, read.endpoint];
}

const ENDPOINTS = new Map([
  endpoint('look', { effects: 'read' }),
  endpoint('restart', { effects: 'write', idempotent: true }),
  endpoint('drop', { effects: 'destroy', approval_required: true }),
  endpoint('unknown', {}),
  endpoint('hidden', { effects: 'read', mcp: false }),
  endpoint('login', {
    command: 'sh -c \'true "$SVC_ARG_PIN"\'',
    args: [{ name: 'pin', secret: true }],
    effects: 'read',
  }),
]);

function toolOf(endpoints: readonly string[], more: object = {}) {
  const nodes = endpoints.map((name, index) => ({ id: `s${index}`, endpoint: name }));
  const checked = checkPipeline({ slug: 'ship', nodes, ...more }, { endpoints: ENDPOINTS });
  if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
  return toolOfPipeline(checked.pipeline, ENDPOINTS);
}

test.each([
  [['look', 'look'], { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
  [['look', 'restart'], { readOnlyHint: false, destructiveHint: false, idempotentHint: true }],
  [['look', 'drop'], { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
  [['look', 'unknown'], { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
])('the hints of a pipeline are the worst of its steps: %p', (endpoints, hints) => {
  expect(toolOf(endpoints)?.annotations).toEqual({ ...hints, openWorldHint: true });
});

test('the description names the steps, and those that need approval', () => {
  expect(toolOf(['look', 'drop'], { description: 'Cleans up' })?.description).toBe(
    'Cleans up. Runs a pipeline with the steps look, drop; needs approval of drop.',
  );
  expect(toolOf(Array.from({ length: 12 }, () => 'look'))?.description).toEndWith('look and 2 more.');
});

test('a pipeline that is hidden, or has a hidden step, is no tool', () => {
  expect(toolOf(['look'], { mcp: false })).toBeUndefined();
  expect(toolOf(['look', 'hidden'])).toBeUndefined();
});

test('a field that reaches a secret argument is left out; if it is required, there is no tool', () => {
  const nodes = [{ id: 'login', endpoint: 'login', args: { pin: '{input.pin}' } }];
  const trigger = (required: boolean) => ({
    type: 'webhook',
    input_schema: [
      { name: 'pin', type: 'string', required },
      { name: 'note', type: 'string' },
    ],
  });
  expect(toolOf([], { nodes, trigger: trigger(true) })).toBeUndefined();
  expect(toolOf([], { nodes, trigger: trigger(false) })?.inputSchema).toEqual({
    type: 'object',
    properties: { note: { type: 'string' } },
    additionalProperties: false,
  });
});
