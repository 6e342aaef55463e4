import { expect, test } from 'bun:test';
import type { Argument } from '../../endpoint/definition.ts';
import type { Pipeline, PipelineNode } from '../definition/pipeline.ts';
import { graphOf } from '../run/graph.ts';
import { secretFields } from './secret-fields.ts';

const argument = (name: string, secret: boolean) => ({ name, secret }) as Argument;
const ENDPOINTS = new Map([
  ['deploy', { args: [argument('token', true), argument('ref', false)] }],
  ['tell', { args: [argument('text', false)] }],
]);

function step(endpoint: string, args: Readonly<Record<string, string>>, env = {}): PipelineNode {
  return { kind: 'step', id: `s${JSON.stringify(args)}`, endpoint, args, env, onFailure: 'stop' };
}

function fieldsOf(...nodes: readonly PipelineNode[]): string[] {
  const trigger: Pipeline['trigger'] = { type: 'webhook', public: false, inputSchema: [] };
  return [...secretFields(graphOf({ slug: 'p', trigger, nodes, edges: [] }), ENDPOINTS)].sort();
}

test.each([
  ['the value of a secret argument', step('deploy', { token: '{input.a}' }), ['a']],
  ['a part of it', step('deploy', { token: 'Bearer {input.a.b} {input.c}' }), ['a', 'c']],
  ['an argument that is not secret', step('deploy', { ref: '{input.a}' }), []],
  ['the output of a step', step('deploy', { token: '{steps.one.output}' }), []],
  ['a variable', step('tell', { text: 'x' }, { A: '{input.a}' }), []],
  ['a step whose endpoint is not known', step('gone', { token: '{input.a}' }), []],
  ['a condition', { kind: 'condition', id: 'c', expression: '{input.a} == 1' }, []],
] as const)('a field is secret or not by what it goes into: %s', (_, node, fields) => {
  expect(fieldsOf(node)).toEqual([...fields]);
});

test('one secret use of a field makes it secret', () => {
  const plain = step('tell', { text: '{input.a} {input.b}' });
  expect(fieldsOf(plain, step('deploy', { token: '{input.b}' }))).toEqual(['b']);
});
