import { describe, expect, test } from 'bun:test';
import { Refusal } from '../../refusal.ts';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { definitionOfPipeline } from '../definition/definition-of-pipeline.ts';
import {
  decideNewPipeline,
  decidePipelineChange,
  decidePipelineRemoval,
  type ManagedPipeline,
  type PipelineFieldChanges,
} from './decide-pipeline.ts';

const VALUE = {
  slug: 'release',
  description: 'Releases it',
  trigger: { type: 'webhook', input_schema: [{ name: 'ref', type: 'string' }] },
  nodes: [
    { id: 'a', endpoint: 'run', args: { x: '{input.ref}' } },
    { id: 'b', endpoint: 'run', needs: ['a'] },
  ],
};

function managed(source: ManagedPipeline['source'], value: object = VALUE): ManagedPipeline {
  const checked = checkPipeline(value);
  if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
  const { pipeline } = checked;
  return { source, registeredBy: 'build', version: 3, pipeline, definition: definitionOfPipeline(pipeline) };
}

const API = managed('api');
const FILE = managed('config');
const NAMED = managed('api', { ...VALUE, trigger: { ...VALUE.trigger, secret: '$svc:HOOK' } });

const changed = (changes: PipelineFieldChanges, current = API, expected = {}) =>
  decidePipelineChange(current, changes, { expected });

function refusalOf(decide: () => unknown): [string, unknown] {
  try {
    return ['allowed', decide()];
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.details];
    throw error;
  }
}

describe('a new pipeline', () => {
  test('is stored without its secret, unless that is a name', () => {
    const plain = decideNewPipeline({ ...VALUE, trigger: { ...VALUE.trigger, secret: 'hunter2' } }, {});
    expect(plain.secret).toEqual({ kind: 'new', value: 'hunter2' });
    expect(JSON.stringify([plain.pipeline, plain.definition])).not.toContain('hunter2');
    const named = decideNewPipeline({ ...VALUE, trigger: { ...VALUE.trigger, secret: '$svc:HOOK' } }, {});
    expect([named.secret, named.pipeline.trigger.secret]).toEqual([{ kind: 'none' }, '$svc:HOOK']);
  });

  test('is refused with messages that do not repeat the name of their field', () => {
    const nodes = [
      { id: 'x y', endpoint: 'run' },
      { id: 'b', endpoint: 'run', comand: 'ls' },
    ];
    const decide = () =>
      decideNewPipeline({ ...VALUE, trigger: { type: 'webhok' }, nodes, description: [] }, {});
    const [, { fields }] = refusalOf(decide) as [string, { fields: { field: string; message: string }[] }];
    const messages = Object.fromEntries(fields.map(({ field, message }) => [field, message]));
    expect(messages).toMatchObject({
      'trigger.type': '"webhok": manual or webhook expected; did you mean "webhook"?',
      'nodes.0.id': expect.stringMatching(/^"x y": up to 64 letters/),
      'nodes.1.comand': expect.stringMatching(/^unknown key: /),
      description: expect.stringMatching(/^is a list: /),
    });
  });

  test('is refused for a misspelt key of its trigger with the key that was meant', () => {
    const decide = () =>
      decideNewPipeline({ ...VALUE, trigger: { tpye: 'manual' }, nodes: [{ id: 'a', endpoint: 'run' }] }, {});
    expect(refusalOf(decide)).toMatchObject([
      'invalid_argument',
      { fields: [{ field: 'trigger.tpye', message: 'unknown key: did you mean "type"?' }] },
    ]);
  });

  test('is refused with every field that is wrong, and the place in an expression', () => {
    const nodes = [...VALUE.nodes, { id: 'c', expression: '{input.ref} =', needs: ['a'] }];
    const [code, details] = refusalOf(() => decideNewPipeline({ ...VALUE, slug: 'No', nodes }, {}));
    expect([code, details]).toMatchObject([
      'invalid_argument',
      { fields: [{ field: 'slug' }, { field: 'nodes.2.expression', offset: 12 }] },
    ]);
  });

  test('may have null for what it does not have', () => {
    expect(decideNewPipeline({ ...VALUE, description: null, edges: null }, {}).definition).not.toHaveProperty(
      'description',
    );
  });
});

describe('a change', () => {
  test('leaves unmentioned fields unchanged', () => {
    const { definition, secret } = changed({ description: 'x', nodes: undefined });
    expect(definition).toEqual({ ...API.definition, description: 'x' });
    expect(secret).toEqual({ kind: 'kept' });
  });

  test('of the trigger is one of its fields', () => {
    expect(changed({ trigger: { public: true } }).pipeline.trigger).toEqual({
      ...API.pipeline.trigger,
      public: true,
    });
    expect(changed({ trigger: { public: true } }, NAMED)).toMatchObject({
      secret: { kind: 'none' },
      pipeline: { trigger: { secret: '$svc:HOOK', public: true } },
    });
  });

  test('gives the secret another value, a name, or takes it away', () => {
    expect(changed({ trigger: { secret: 'new' } }).secret).toEqual({ kind: 'new', value: 'new' });
    expect(changed({ trigger: { secret: '$svc:OTHER' } })).toMatchObject({
      secret: { kind: 'none' },
      pipeline: { trigger: { secret: '$svc:OTHER' } },
    });
    expect(changed({ trigger: { secret: null } }).secret).toEqual({ kind: 'none' });
    expect(changed({ trigger: { secret: null } }, NAMED).pipeline.trigger).not.toHaveProperty('secret');
    expect(changed({ trigger: { secret: 'plain' } }, NAMED)).toMatchObject({ secret: { kind: 'new' } });
  });

  test('to a manual trigger drops the keys of webhooks; references to them are reported', () => {
    const [first, second] = VALUE.nodes;
    const nodes = [{ ...first, args: {} }, second];
    for (const current of [API, NAMED]) {
      const { pipeline, secret } = changed({ trigger: { type: 'manual' }, nodes }, current);
      expect([pipeline.trigger, secret.kind]).toEqual([
        { type: 'manual', public: false, inputSchema: [] },
        'none',
      ]);
    }
    expect(refusalOf(() => changed({ trigger: { type: 'manual' } }))[0]).toBe('invalid_argument');
    expect(refusalOf(() => changed({ trigger: null, nodes }))[0]).toBe('allowed');
  });

  test('of the nodes keeps the edges, unless the nodes say what they need, or edges are sent', () => {
    const plain = VALUE.nodes.map(({ id, endpoint }) => ({ id, endpoint }));
    expect(changed({ nodes: plain }).pipeline.edges).toEqual(API.pipeline.edges);
    const turned = [plain[1], { ...plain[0], needs: ['b'] }];
    expect(changed({ nodes: turned }).pipeline.edges).toEqual([
      { from: 'trigger', to: 'b' },
      { from: 'b', to: 'a' },
    ]);
    expect(changed({ nodes: plain, edges: null }).pipeline.edges).toHaveLength(2);
    expect(refusalOf(() => changed({ nodes: turned, edges: [] }))[0]).toBe('invalid_argument');
  });

  test('renames it by either word', () => {
    expect(changed({ name: 'other' }).pipeline.slug).toBe('other');
    expect(changed({ slug: 'other', name: 'other' }).pipeline.slug).toBe('other');
    expect(refusalOf(() => changed({ slug: 'a', name: 'b' }))[0]).toBe('invalid_argument');
  });

  test('is for the version that it names, or refused', () => {
    const decide = (expected: object) => refusalOf(() => changed({ description: 'x' }, API, expected))[0];
    expect([decide({ version: 3 }), decide({ ifMatch: 3 })]).toEqual(['allowed', 'allowed']);
    expect([decide({ version: 2 }), decide({ ifMatch: 4 })]).toEqual([
      'version_conflict',
      'precondition_failed',
    ]);
  });
});

test('nothing of one from a file is changed here, and it is not deleted here', () => {
  for (const changes of [{ description: 'x' }, { trigger: { public: false } }, {}])
    expect(refusalOf(() => changed(changes, FILE))).toEqual(['managed_by_config', { agent_name: 'build' }]);
  expect(refusalOf(() => decidePipelineRemoval(FILE, {}))[0]).toBe('managed_by_config');
  expect(refusalOf(() => decidePipelineRemoval(API, {}))[0]).toBe('allowed');
  expect(refusalOf(() => decidePipelineRemoval(API, { version: 1 }))[0]).toBe('version_conflict');
});
