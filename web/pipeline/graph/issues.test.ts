import { expect, test } from 'bun:test';
import { issueOf, issuesByNode } from './issues.ts';
import { emptyPipeline } from './wire-pipeline.ts';

const PIPELINE = {
  ...emptyPipeline('x'),
  nodes: [
    { kind: 'condition', id: 'a', expression: '' },
    { kind: 'condition', id: 'b', expression: '' },
  ],
  edges: [{ from: 'trigger', to: 'b' }],
} as const;

test('a finding stands at the node that its path names, that of an edge where it leads to', () => {
  const paths = ['nodes[1].expression', 'edges[0]', 'trigger.type', 'slug', 'nodes[0]', 'nodes[7].id', ''];
  const found = issuesByNode(
    PIPELINE,
    paths.map((path) => ({ path, message: path })),
  );
  const shown = Object.fromEntries([...found].map(([id, list]) => [id, list.map(({ path }) => path)]));
  expect(shown).toEqual({
    a: ['nodes[0]'],
    b: ['nodes[1].expression', 'edges[0]'],
    trigger: ['trigger.type'],
    '': ['slug', 'nodes[7].id', ''],
  });
});

test('of a node the finding of one field can be asked for', () => {
  const issues = [
    { path: 'nodes[0].args.branch', message: 'no such argument' },
    { path: 'nodes[0]', message: 'whole' },
  ];
  expect(issueOf(issues, 'args.branch')).toBe('no such argument');
  expect(issueOf(issues, 'args')).toBeUndefined();
});
