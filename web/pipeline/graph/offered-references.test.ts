import { describe, expect, test } from 'bun:test';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { completedValues, offeredReferences } from './offered-references.ts';

const step = (id: string) =>
  ({ kind: 'step', id, endpoint: 'build', args: {}, env: {}, onFailure: 'stop' }) as const;
const PIPELINE: Pipeline = {
  slug: 'release',
  trigger: { type: 'webhook', public: false, inputSchema: [{ name: 'ref', type: 'string', required: true }] },
  nodes: [
    step('build'),
    { kind: 'condition', id: 'ok', expression: 'true' },
    step('test'),
    step('deploy'),
    step('beside'),
  ],
  edges: [
    { from: 'trigger', to: 'build' },
    { from: 'build', to: 'ok' },
    { from: 'ok', to: 'test', when: true },
    { from: 'test', to: 'deploy' },
    { from: 'trigger', to: 'beside' },
  ],
};
const OF_TEST = ['{steps.test.output}', '{steps.test.data}', '{steps.test.exit_code}'];
const OF_BUILD = ['{steps.build.output}', '{steps.build.data}', '{steps.build.exit_code}'];
const OF_TRIGGER = ['{trigger.event}', '{trigger.delivery}'];

describe('the references that a step is offered', () => {
  test('are the input, the results of the steps before it, nearest first, and the facts of a webhook', () => {
    expect(offeredReferences(PIPELINE, 'deploy')).toEqual([
      '{input.ref}',
      ...OF_TEST,
      ...OF_BUILD,
      ...OF_TRIGGER,
    ]);
    expect(offeredReferences(PIPELINE, 'build')).toEqual(['{input.ref}', ...OF_TRIGGER]);
  });

  test('lack the facts of a webhook where a person starts the run', () => {
    const manual = { ...PIPELINE, trigger: { type: 'manual', public: false, inputSchema: [] } } as const;
    expect(offeredReferences(manual, 'test')).toEqual(OF_BUILD);
  });

  test('complete what is typed after an open brace, and keep the text before it', () => {
    const offer = { fixed: ['eu', 'us'], references: [...OF_BUILD, '{input.ref}'] };
    expect(completedValues('', offer)).toEqual(['eu', 'us', ...OF_BUILD, '{input.ref}']);
    expect(completedValues('v{inp', offer)).toEqual(['v{input.ref}']);
    expect(completedValues('{input.ref}-{steps.build.o', offer)).toEqual([
      '{input.ref}-{steps.build.output}',
    ]);
    expect(completedValues('{nothing', offer)).toEqual([]);
  });
});
