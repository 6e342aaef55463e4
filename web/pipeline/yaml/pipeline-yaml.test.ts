import { describe, expect, test } from 'bun:test';
import { withCondition, withStep } from '../graph/changes.ts';
import { emptyPipeline } from '../graph/wire-pipeline.ts';
import { pipelineIn, positionedProblems, type TextProblem, yamlOf } from './pipeline-yaml.ts';

const [BUILT] = withStep(emptyPipeline('release'), 'build', 'trigger');
const [DRAWN] = withCondition(BUILT, 'build');

test('a pipeline is read back from its text unchanged', () => {
  expect(pipelineIn(yamlOf(DRAWN))).toEqual(DRAWN);
});

test('`needs` is read as the edges that it stands for', () => {
  const text = 'slug: x\nnodes:\n  - {id: a, endpoint: build}\n  - {id: b, endpoint: build, needs: [a]}\n';
  expect(pipelineIn(text)).toMatchObject({
    edges: [
      { from: 'trigger', to: 'a' },
      { from: 'a', to: 'b' },
    ],
  });
});

describe('each problem stands at its line', () => {
  test('where the text is no YAML', () => {
    const [problem] = pipelineIn('slug: x\nnodes: [\n') as readonly TextProblem[];
    expect(problem?.line).toBeGreaterThan(1);
  });

  test('where a value is not accepted', () => {
    const text = 'slug: release\nnodes:\n  - id: a\n    endpoint: build\n    on_failure: explode\n';
    const [problem] = pipelineIn(text) as readonly TextProblem[];
    expect(problem).toMatchObject({ line: 5 });
    expect(text.slice(problem?.from, problem?.to)).toBe('explode');
  });

  test('where a value is missing, at what it is missing from', () => {
    const [problem] = positionedProblems('slug: release\nnodes:\n  - id: a\n', [
      { path: 'nodes[0].endpoint', message: 'the name of an endpoint expected' },
    ]);
    expect(problem).toMatchObject({ line: 3, message: 'endpoint: the name of an endpoint expected' });
  });

  test('an empty text has its problem on the first line', () => {
    expect(positionedProblems('', [{ path: 'slug', message: 'a name expected' }])).toMatchObject([
      { from: 0, line: 1 },
    ]);
  });
});

test('an alias, which could make a short text a huge one, is refused where it stands', () => {
  const text = 'slug: &x release\nnodes: [{id: a, endpoint: *x}]\n';
  const [problem] = pipelineIn(text) as readonly TextProblem[];
  expect(problem).toMatchObject({ line: 2 });
  expect(text.slice(problem?.from, problem?.to)).toBe('*x');
});
