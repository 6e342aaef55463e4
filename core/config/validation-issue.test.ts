import { expect, test } from 'bun:test';
import { problemOf } from '../api/field-problem.ts';
import { checkPipeline } from '../pipeline/definition/check-pipeline.ts';
import { checkDefinition } from './definition/check-definition.ts';
import { sentenceOf, type ValidationIssue } from './validation-issue.ts';

const NODE = { id: 'a', endpoint: 'build' };
const pipeline = (node: object) => ({
  slug: 'p',
  trigger: { type: 'manual' },
  nodes: [{ ...NODE, ...node }],
});

function issuesOf(checked: object): readonly ValidationIssue[] {
  if ('issues' in checked) return checked.issues as ValidationIssue[];
  throw new Error('no issues');
}

test.each([
  [pipeline({ on_failure: 'ignore' }), 'nodes[0].on_failure: "ignore": stop or continue expected'],
  [pipeline({ timeout: 0 }), 'nodes[0].timeout: 0: '],
  [pipeline({ on_failur: 'stop' }), 'nodes[0].on_failur: unknown key: did you mean "on_failure"?'],
])('a mistake of a pipeline names its field once: %#', (definition, expected) => {
  const [issue = expect.unreachable()] = issuesOf(checkPipeline(definition, { isFile: true }));
  expect(sentenceOf(issue)).toStartWith(expected);
  expect(problemOf(issue).message).toStartWith(expected.slice(expected.indexOf(': ') + 2));
});

test('a mistake of an endpoint names its field once', () => {
  const issues = issuesOf(checkDefinition({ name: 'x', command: 'true', timeout: 'soon', methd: 'GET' }));
  expect(issues.map(sentenceOf)).toEqual([
    'timeout: "soon": whole seconds from 1 to 86400 expected',
    'methd: unknown key: did you mean "method"?',
  ]);
});
