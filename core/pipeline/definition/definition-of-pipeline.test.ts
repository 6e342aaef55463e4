import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkPipeline } from './check-pipeline.ts';
import { definitionOfPipeline, storedPipeline } from './definition-of-pipeline.ts';
import type { Pipeline, StepNode } from './pipeline.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll(/[{}\0]/g, '_'));
const key = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const settings = fc.record({
  args: fc.dictionary(key, text, { noNullPrototype: true }),
  env: fc.dictionary(
    key.map((name) => name.toUpperCase().replaceAll(/^/g, 'X_')),
    text,
    { noNullPrototype: true },
  ),
  onFailure: fc.constantFrom('stop' as const, 'continue' as const),
  agentName: some(key),
  timeoutSec: some(fc.integer({ min: 1, max: 86_400 })),
  retry: some(
    fc.record({ limit: fc.integer({ min: 1, max: 10 }), backoffSec: fc.integer({ min: 0, max: 3_600 }) }),
  ),
});

const trigger = fc.oneof(
  fc.record({ type: fc.constant('manual' as const), public: fc.boolean(), inputSchema: fc.constant([]) }),
  fc
    .record({
      type: fc.constant('webhook' as const),
      public: fc.boolean(),
      inputSchema: fc.uniqueArray(
        fc.record({
          name: key,
          type: fc.constantFrom('string' as const, 'number' as const, 'boolean' as const, 'object' as const),
          required: fc.boolean(),
        }),
        { selector: ({ name }) => name, maxLength: 5 },
      ),
      secret: some(fc.constant('$svc:HOOK')),
    })
    .map(withoutUndefined),
);

/** A chain of steps, each with settings of its own, behind a condition. */
const pipelines: fc.Arbitrary<Pipeline> = fc
  .record({
    slug: key,
    description: some(fc.string({ minLength: 1, maxLength: 20 })),
    tags: some(fc.array(key, { maxLength: 10 })),
    trigger,
    steps: fc.array(settings, { minLength: 1, maxLength: 6 }),
  })
  .map(
    ({ steps, ...head }): Pipeline => ({
      ...(withoutUndefined(head) as Pick<Pipeline, 'slug' | 'description' | 'tags' | 'trigger'>),
      nodes: [
        { kind: 'condition', id: 'gate', expression: 'true' } as const,
        ...steps.map(
          (step, index) =>
            ({ kind: 'step', id: `s${index}`, endpoint: 'run', ...withoutUndefined(step) }) as StepNode,
        ),
      ],
      edges: [
        { from: 'trigger', to: 'gate' },
        ...steps.map((_, index) =>
          index === 0 ? { from: 'gate', to: 's0', when: false } : { from: `s${index - 1}`, to: `s${index}` },
        ),
      ],
    }),
  );

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

test('the wire form of any pipeline is read back as the same pipeline, from the store and from a file', () => {
  fc.assert(
    fc.property(pipelines, (pipeline) => {
      const definition = JSON.parse(JSON.stringify(definitionOfPipeline(pipeline))) as Record<
        string,
        unknown
      >;
      expect(storedPipeline(definition)).toEqual(pipeline);
      expect(checkPipeline(definition, { isFile: true })).toEqual({ kind: 'pipeline', pipeline });
    }),
    { numRuns: 300 },
  );
});

test('defaults are left out, and needs have become edges', () => {
  const checked = checkPipeline({
    name: 'a',
    trigger: { type: 'manual', public: false },
    nodes: [
      { id: 'one', endpoint: 'run', args: {}, env: {}, on_failure: 'stop' },
      { id: 'two', endpoint: 'run', needs: ['one'], retry: { limit: 1 } },
    ],
  });
  expect(checked.kind === 'pipeline' && definitionOfPipeline(checked.pipeline)).toEqual({
    slug: 'a',
    trigger: { type: 'manual' },
    nodes: [
      { id: 'one', kind: 'step', endpoint: 'run' },
      { id: 'two', kind: 'step', endpoint: 'run', retry: { limit: 1, backoff: 10 } },
    ],
    edges: [
      { from: 'trigger', to: 'one' },
      { from: 'one', to: 'two' },
    ],
  });
});

test('a stored pipeline is read back unchanged, also where the rules have become stricter since', () => {
  const step = { id: 'one', kind: 'step', endpoint: 'run', args: { x: '{input.gone}' } };
  const stored = storedPipeline({ slug: 'a', trigger: { type: 'manual' }, nodes: [step], edges: [] });
  expect(stored).toMatchObject({ slug: 'a', nodes: [{ args: { x: '{input.gone}' } }], edges: [] });
});
