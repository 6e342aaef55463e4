import { describe, expect, test } from 'bun:test';
import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import {
  connected,
  disconnected,
  flipped,
  renamed,
  withCondition,
  withEndpoint,
  withNode,
  without,
  withSettings,
  withStep,
} from './changes.ts';
import { bodyOf, emptyPipeline } from './wire-pipeline.ts';

function drawn(): Pipeline {
  const [one] = withStep(emptyPipeline('release'), 'build', 'trigger');
  const [two] = withCondition(one, 'build');
  const [three] = withStep(two, 'deploy', 'condition');
  return three;
}

const edgesOf = ({ edges }: Pipeline) => edges.map(({ from, to, when }) => `${from}→${to}${when ?? ''}`);

test('a pipeline drawn from nothing is one that the hub accepts', () => {
  expect(edgesOf(drawn())).toEqual(['trigger→build', 'build→condition', 'condition→deploytrue']);
  expect(checkPipeline(bodyOf(drawn()))).toMatchObject({ kind: 'pipeline' });
});

describe('ids', () => {
  test('a second step of an endpoint gets a number, and an endpoint that begins with a digit a letter first', () => {
    const [two, second] = withStep(drawn(), 'build', 'trigger');
    const [, third] = withStep(two, 'build', 'trigger');
    expect([second, third]).toEqual(['build_2', 'build_3']);
    expect(withStep(drawn(), '3-2', 'trigger')[1]).toBe('step');
    expect(withStep(drawn(), 'trigger', 'trigger')[1]).toBe('trigger_2');
  });

  test('a new step takes the name of its endpoint, and a name that a person gave it stays', () => {
    const [two] = withStep(drawn(), '', 'build');
    const stepOf = (pipeline: Pipeline, id: string) => {
      const step = pipeline.nodes.find((node) => node.id === id);
      if (step?.kind !== 'step') throw new Error(`no step ${id}`);
      return step;
    };
    const [first, named] = withEndpoint(two, stepOf(two, 'step'), 'deploy');
    expect(named).toBe('deploy_2');
    expect(edgesOf(first)).toContain('build→deploy_2');
    const [second, again] = withEndpoint(first, stepOf(first, named), 'notify');
    expect([again, stepOf(second, 'notify').endpoint]).toEqual(['notify', 'notify']);
    const mine = renamed(second, 'notify', 'mine');
    expect(withEndpoint(mine, stepOf(mine, 'mine'), 'build')[1]).toBe('mine');
    expect(withEndpoint(second, stepOf(second, 'notify'), '')[1]).toBe('step');
    const used = withNode(second, {
      kind: 'condition',
      id: 'condition',
      expression: '{steps.notify.exit_code} == 0',
    });
    expect(withEndpoint(used, stepOf(used, 'notify'), 'build')[1]).toBe('notify');
  });

  test('a node that is renamed keeps its edges; a name that is taken is not given again', () => {
    expect(edgesOf(renamed(drawn(), 'condition', 'is_main'))).toEqual([
      'trigger→build',
      'build→is_main',
      'is_main→deploytrue',
    ]);
    expect(renamed(drawn(), 'condition', 'build')).toEqual(drawn());
    expect(renamed(drawn(), 'condition', 'trigger')).toEqual(drawn());
  });
});

describe('edges', () => {
  test('are made once, never in itself or into the trigger, and only those of a condition have an answer', () => {
    expect(connected(drawn(), 'trigger', 'build')).toEqual(drawn());
    expect(connected(drawn(), 'build', 'build')).toEqual(drawn());
    expect(connected(drawn(), 'build', 'trigger')).toEqual(drawn());
    expect(edgesOf(connected(drawn(), 'build', 'deploy'))).toContain('build→deploy');
    expect(edgesOf(connected(drawn(), 'condition', 'deploy', false))).toContain('condition→deployfalse');
  });

  test('of a condition turn to the other answer, and back', () => {
    const edge = { from: 'condition', to: 'deploy', when: true };
    const no = flipped(drawn(), edge);
    expect(edgesOf(no)).toContain('condition→deployfalse');
    expect(flipped(no, { ...edge, when: false })).toEqual(drawn());
  });

  test('without a condition are those of the answer true', () => {
    const plain = { ...drawn(), edges: [{ from: 'condition', to: 'deploy' }] };
    expect(disconnected(plain, { from: 'condition', to: 'deploy', when: true }).edges).toEqual([]);
    expect(disconnected(plain, { from: 'condition', to: 'deploy', when: false })).toEqual(plain);
  });
});

test('when a node is removed, its children hang on its parents', () => {
  expect(edgesOf(without(drawn(), 'condition'))).toEqual(['trigger→build', 'build→deploy']);
  const joined = connected(drawn(), 'build', 'deploy');
  expect(edgesOf(without(joined, 'condition'))).toEqual(['trigger→build', 'build→deploy']);
});

test('a node is replaced where it stands', () => {
  const changed = withNode(drawn(), { kind: 'condition', id: 'condition', expression: 'false' });
  expect(changed.nodes.map(({ id }) => id)).toEqual(['build', 'condition', 'deploy']);
  expect(changed.nodes[1]).toMatchObject({ expression: 'false' });
});

test('a setting of a step that is undefined is taken away', () => {
  const [pipeline] = withStep(emptyPipeline('x'), 'build', 'trigger');
  const [step] = pipeline.nodes;
  if (step?.kind !== 'step') throw new Error('no step');
  const timed = withSettings(pipeline, { ...step, timeoutSec: 5 }, { timeoutSec: undefined, agentName: 'a' });
  expect(timed.nodes).toEqual([{ ...step, agentName: 'a' }]);
});
