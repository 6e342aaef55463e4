import { describe, expect, test } from 'bun:test';
import { formatPath } from '../../config/validation-issue.ts';
import type { Argument } from '../../endpoint/definition.ts';
import { LIMITS } from '../../plan/limits.ts';
import type { KnownEndpoints } from './check-call.ts';
import { checkPipeline } from './check-pipeline.ts';

/** An endpoint that everybody may run. */
const OPEN = { acceptsEnv: ['LEVEL', 'A'], approvalRequired: false, allowSelf: true } as const;
const argument = (name: string, more: Partial<Argument> = {}): Argument => ({
  name,
  required: false,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});
const endpoints: KnownEndpoints = new Map([
  ['build', { args: [argument('ref', { required: true }), argument('count', { type: 'integer' })], ...OPEN }],
  ['test', { args: [], ...OPEN }],
  ['notify', { args: [argument('text')], ...OPEN }],
]);

const TRIGGER = {
  type: 'webhook',
  input_schema: [
    { name: 'ref', type: 'string', required: true },
    { name: 'commit', type: 'object' },
  ],
};
const BUILD = { id: 'build', kind: 'step', endpoint: 'build', args: { ref: '{input.ref}', count: 3 } };
const FROM_TRIGGER = { from: 'trigger', to: 'build' };

/** `path: message` of each finding. */
function found(value: unknown): string[] {
  const checked = checkPipeline(value, { endpoints });
  return checked.kind === 'pipeline'
    ? []
    : checked.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

function read(value: unknown) {
  const checked = checkPipeline(value, { endpoints });
  if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
  return checked.pipeline;
}

describe('a sound pipeline', () => {
  const value = {
    slug: 'release',
    trigger: { ...TRIGGER, public: true, secret: 's3cret' },
    nodes: [
      {
        ...BUILD,
        env: { LEVEL: 2 },
        agent_name: 'linux',
        on_failure: 'continue',
        timeout: 30,
        retry: { limit: 2 },
      },
      {
        id: 'ok',
        kind: 'condition',
        expression: '{steps.build.exit_code} == 0 && {input.commit.id} != null',
      },
      { id: 'tell', kind: 'step', endpoint: 'notify', args: { text: 'built {steps.build.output}' } },
    ],
    edges: [FROM_TRIGGER, { from: 'build', to: 'ok' }, { from: 'ok', to: 'tell', when: false }],
  };

  test('is read with our names and units, and is plain JSON', () => {
    const pipeline = read(value);
    expect(pipeline).toEqual({
      slug: 'release',
      trigger: {
        type: 'webhook',
        public: true,
        inputSchema: [
          { name: 'ref', type: 'string', required: true },
          { name: 'commit', type: 'object', required: false },
        ],
        secret: 's3cret',
      },
      nodes: [
        {
          kind: 'step',
          id: 'build',
          endpoint: 'build',
          args: { ref: '{input.ref}', count: '3' },
          env: { LEVEL: '2' },
          onFailure: 'continue',
          agentName: 'linux',
          timeoutSec: 30,
          retry: { limit: 2, backoffSec: 10 },
        },
        { kind: 'condition', id: 'ok', expression: value.nodes[1]?.expression ?? '' },
        {
          kind: 'step',
          id: 'tell',
          endpoint: 'notify',
          args: { text: 'built {steps.build.output}' },
          env: {},
          onFailure: 'stop',
        },
      ],
      edges: value.edges,
    });
    expect(JSON.parse(JSON.stringify(pipeline))).toEqual(pipeline);
  });

  test('may have a name instead of a slug, or both when they say the same', () => {
    const { slug, ...rest } = value;
    expect(read({ ...rest, name: slug })).toEqual(read(value));
    expect(read({ ...value, name: slug })).toEqual(read(value));
    expect(found({ ...value, name: 'other' })).toEqual([
      'name: name and slug are the same thing; leave one of them out',
    ]);
  });

  test('has its problems reported under the written word, with its place', () => {
    const { slug, ...rest } = value;
    const paths = (written: object) => {
      const checked = checkPipeline(written, { endpoints, path: ['pipelines', 2] });
      return checked.kind === 'issues' && checked.issues.map(({ path }) => formatPath(path));
    };
    expect(paths({ ...rest, name: 'No' })).toEqual(['pipelines[2].name']);
    expect(paths({ ...rest, slug: 'No' })).toEqual(['pipelines[2].slug']);
    expect(paths({ ...rest, slug, nodes: [{ ...BUILD, endpoint: 'x' }], edges: [FROM_TRIGGER] })).toEqual([
      'pipelines[2].nodes[0].endpoint',
    ]);
  });

  test('may be written with needs: what needs nothing runs at once, kinds are seen from the keys', () => {
    const pipeline = read({
      name: 'release',
      nodes: [
        { id: 'a', endpoint: 'test' },
        { id: 'b', endpoint: 'test', needs: [] },
        { id: 'c', expression: '{steps.a.exit_code} == 0', needs: ['a', 'b'] },
        { id: 'd', endpoint: 'test', needs: [{ node: 'c', when: false }] },
      ],
    });
    expect(pipeline.nodes.map(({ kind }) => kind)).toEqual(['step', 'step', 'condition', 'step']);
    expect(pipeline.edges).toEqual([
      { from: 'trigger', to: 'a' },
      { from: 'trigger', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'd', when: false },
    ]);
    expect(pipeline.trigger).toEqual({ type: 'manual', public: false, inputSchema: [] });
  });

  test('keeps numbers of a file as they were written', () => {
    const checked = checkPipeline(
      { name: 'x', nodes: [{ id: 'a', endpoint: 'notify', args: { text: 1.1 } }] },
      { endpoints, path: ['pipelines', 0], textAt: (path) => (path.at(-1) === 'text' ? '1.10' : undefined) },
    );
    expect(checked).toMatchObject({ pipeline: { nodes: [{ args: { text: '1.10' } }] } });
  });
});

/** A pipeline whose only nodes are these, one after another. */
const chain = (...nodes: object[]) => ({
  slug: 'x',
  trigger: TRIGGER,
  nodes: nodes.map((node, index) => ({
    id: `n${index}`,
    ...('expression' in node ? {} : { endpoint: 'test' }),
    ...node,
  })),
  edges: nodes.map((_, index) => ({ from: index === 0 ? 'trigger' : `n${index - 1}`, to: `n${index}` })),
});

test.each<[string, unknown, string[]]>([
  ['no map', [], [': a map with a name and nodes expected']],
  ['no nodes', { slug: 'x', nodes: [] }, ['nodes: nodes is a list: at least one step expected']],
  ['a misspelt key', { ...chain({}), triger: 1 }, ['triger: unknown key "triger": did you mean "trigger"?']],
  [
    'a node of unknown kind',
    { slug: 'x', nodes: [5] },
    ['nodes[0]: a step with an endpoint, or a condition with an expression expected'],
  ],
  [
    'a misspelt key of a step',
    chain({ on_failur: 'stop' }),
    ['nodes[0].on_failur: unknown key "on_failur": did you mean "on_failure"?'],
  ],
  [
    'a way that there is not',
    chain({ on_failure: 'ignore' }),
    ['nodes[0].on_failure: on_failure "ignore": stop or continue expected'],
  ],
  [
    'an unknown endpoint',
    chain({ endpoint: 'biuld' }),
    ['nodes[0].endpoint: there is no endpoint "biuld"; did you mean "build"?'],
  ],
  [
    'arguments that do not fit',
    chain({ endpoint: 'build', args: { reff: 'x', count: 'two' } }),
    [
      'nodes[0].args.reff: endpoint "build" has no argument "reff"; did you mean "ref"?',
      'nodes[0].args: argument "ref" is required; give it a value or a reference',
      'nodes[0].args.count: argument "count": "two" is not an integer, as in 42',
    ],
  ],
  [
    'a variable that may not be set',
    chain({ env: { LD_PRELOAD: 'x' } }),
    [
      'nodes[0].env.LD_PRELOAD: variable "LD_PRELOAD" cannot be set: it decides what a program loads or is, or belongs to svc (decision 12)',
    ],
  ],
  [
    'an id that stands twice, and one that is taken',
    {
      slug: 'x',
      nodes: [
        { id: 'a', endpoint: 'test' },
        { id: 'a', endpoint: 'test' },
        { id: 'trigger', endpoint: 'test' },
      ],
      edges: [{ from: 'trigger', to: 'a' }],
    },
    [
      'nodes[1].id: id "a" stands twice; an id of its own expected',
      'nodes[2].id: "trigger" is where a run begins; another id expected',
    ],
  ],
  [
    'needs and edges',
    { ...chain({ needs: ['n0'] }) },
    ['nodes[0].needs: "needs" stands for edges, and there are "edges"; one of them expected'],
  ],
  [
    'a webhook only part of a manual trigger',
    { ...chain({}), trigger: { type: 'manual', input_schema: [{ name: 'a', type: 'string' }], secret: 'x' } },
    [
      'trigger.input_schema: input_schema is about the body of a webhook: "type: webhook" expected',
      'trigger.secret: secret is about the body of a webhook: "type: webhook" expected',
    ],
  ],
  [
    'fields that stand twice',
    {
      ...chain({}),
      trigger: {
        type: 'webhook',
        input_schema: [
          { name: 'a', type: 'string' },
          { name: 'a', type: 'number' },
        ],
      },
    },
    ['trigger.input_schema[1].name: field "a" is declared twice'],
  ],
])('%s is reported', (_, value, issues) => {
  expect(found(value)).toEqual(issues);
});

test('all issues are reported at once', () => {
  const issues = found({
    slug: 'No',
    trigger: { type: 'cron' },
    nodes: [
      { id: 'a', endpoint: 'nope', retry: { limit: 99 } },
      { id: 'b', expression: '1 ==', needs: ['zzz'] },
      { id: 'c', endpoint: 'notify', args: { text: '{input.x} {steps.q.output}' }, needs: ['a'] },
    ],
  });
  expect(issues.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
    'slug',
    'trigger.type',
    'nodes[0].retry.limit',
    'nodes[0].endpoint',
    'nodes[1].expression',
    'nodes[1].needs[0]',
    'nodes[2].args.text',
    'nodes[2].args.text',
  ]);
});

describe('the graph', () => {
  const graph = (ids: string, ...edges: [string, string, boolean?][]) => ({
    slug: 'x',
    nodes: [...ids].map((id) =>
      id === id.toUpperCase() ? { id, expression: 'true' } : { id, endpoint: 'test' },
    ),
    edges: edges.map(([from, to, when]) => (when === undefined ? { from, to } : { from, to, when })),
  });

  test.each<[string, unknown, string[]]>([
    [
      'a circle is named',
      graph('abcd', ['trigger', 'a'], ['a', 'b'], ['b', 'c'], ['c', 'b'], ['c', 'd']),
      [expect.stringMatching(/edges\[\d\]: .*circle: (?:b → c → b|c → b → c); remove/)],
    ],
    [
      'a circle is named without what leads away from it',
      graph('abcd', ['trigger', 'a'], ['c', 'd'], ['a', 'b'], ['b', 'c'], ['c', 'b']),
      [expect.stringMatching(/edges\[\d\]: .*circle: (?:b → c → b|c → b → c); remove/)],
    ],
    [
      'a node that waits for itself',
      graph('a', ['trigger', 'a'], ['a', 'a']),
      ['edges[1]: the nodes wait for each other in a circle: a → a; remove one of these edges'],
    ],
    [
      'a node that nothing leads to',
      graph('abc', ['trigger', 'a'], ['b', 'c']),
      ['nodes[1].id: node "b" is not reached: an edge to it expected, from "trigger" or from a node'],
    ],
    [
      'ends that are not there',
      graph('a', ['trigger', 'a'], ['a', 'q'], ['p', 'a']),
      ['edges[1].to: there is no node "q"; there are a', 'edges[2].from: there is no node "p"; there are a'],
    ],
    [
      'an edge to the trigger',
      graph('a', ['trigger', 'a'], ['a', 'trigger']),
      ['edges[1].to: nothing comes before the trigger; a node expected'],
    ],
    [
      'an answer of what has none',
      graph('ab', ['trigger', 'a', true], ['a', 'b', false]),
      [
        'edges[0].when: "when" is about the answer of a condition, and "trigger" is none; leave it out',
        'edges[1].when: "when" is about the answer of a condition, and "a" is none; leave it out',
      ],
    ],
    [
      'an edge twice',
      graph('Ab', ['trigger', 'A'], ['A', 'b'], ['A', 'b', true]),
      ['edges[2]: the edge from "A" to "b" stands twice; once is enough'],
    ],
    ['both answers of one condition', graph('Ab', ['trigger', 'A'], ['A', 'b', false], ['A', 'b', true]), []],
    [
      'a diamond',
      graph('abcd', ['trigger', 'a'], ['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd'], ['a', 'd']),
      [],
    ],
  ])('%s', (_, value, issues) => {
    expect(found(value)).toEqual(issues);
  });

  test('a long circle is named by its ends', () => {
    const ids = 'abcdefghijklmno';
    const edges = [...ids].map((id, at): [string, string] => [id, ids[(at + 1) % ids.length] ?? '']);
    const [issue] = found(graph(ids, ['trigger', 'a'], ...edges));
    expect(issue).toMatch(/circle: (?:\w → ){9}… → \w; remove/);
  });
});

describe('references', () => {
  const uses = (text: string) => chain({ id: 'n0' }, { endpoint: 'notify', args: { text } }, {});

  test.each<[string, string[]]>([
    ['{input.ref} {input.commit.author.name} {steps.n0.output} {steps.n0.data.a.b}', []],
    ['{"a": {}} {{.Names}}', []],
    [
      '{input.reff}',
      ['{input.reff}: the trigger declares no field "reff" in input_schema; did you mean "ref"?'],
    ],
    ['{input.ref.x}', ['{input.ref.x}: "ref" is a string and has nothing in it; declare it as an object']],
    ['{steps.n9.output}', ['{steps.n9.output}: there is no step "n9"; did you mean "n0"?']],
    [
      '{steps.n1.output}',
      [
        '{steps.n1.output}: step "n1" does not run before "n1"; an edge that leads from one to the other expected',
      ],
    ],
    [
      '{steps.n2.output}',
      [
        '{steps.n2.output}: step "n2" does not run before "n1"; an edge that leads from one to the other expected',
      ],
    ],
  ])('%s', (text, messages) => {
    expect(found(uses(text))).toEqual(messages.map((message) => `nodes[1].args.text: ${message}`));
  });

  test('that cannot be read are reported with their place', () => {
    expect(found(uses('a {steps.n0}'))).toEqual([
      'nodes[1].args.text: reference in "a {steps.n0}": output, exit_code, data, data.<name> or artifacts.<file> of the step expected',
    ]);
  });

  test('are checked in variables, the agent name and conditions too', () => {
    const value = chain(
      { env: { A: '{input.no}' }, agent_name: 'x-{input.no}' },
      { expression: 'true && {input.no} == {steps.n0.output}' },
    );
    expect(found(value).map((line) => line.slice(0, line.indexOf(': ')))).toEqual([
      'nodes[0].env.A',
      'nodes[0].agent_name',
      'nodes[1].expression',
    ]);
    const checked = checkPipeline(value, { endpoints });
    expect(checked.kind === 'issues' && checked.issues.map(({ offset }) => offset)).toEqual([0, 2, 8]);
  });

  test('a condition has no result, and siblings do not run before each other', () => {
    const value = {
      slug: 'x',
      nodes: [
        { id: 'c', expression: 'true' },
        { id: 'a', endpoint: 'notify', args: { text: '{steps.c.output}' }, needs: ['c'] },
        { id: 'b', endpoint: 'notify', args: { text: '{steps.a.output}' }, needs: ['c'] },
      ],
    };
    expect(found(value)).toEqual([
      'nodes[1].args.text: {steps.c.output}: "c" is a condition and leaves no result; a step expected',
      'nodes[2].args.text: {steps.a.output}: step "a" does not run before "b"; an edge that leads from one to the other expected',
    ]);
  });
});

test('a wrong expression is reported with the place of the mistake', () => {
  const checked = checkPipeline(chain({ expression: '{input.ref} = "x"' }), {
    endpoints,
  });
  expect(checked).toMatchObject({ issues: [{ path: ['nodes', 0, 'expression'], offset: 12 }] });
  expect(found(chain({ expression: `"${'a'.repeat(64 * 1024)}"` }))).toEqual([
    expect.stringContaining(`at most ${LIMITS.expressionChars} characters`),
  ]);
});

describe('limits', () => {
  const wide = (count: number) => ({
    slug: 'x',
    nodes: Array.from({ length: count }, (_, index) => ({ id: `n${index}`, endpoint: 'test' })),
  });

  test('the maximum number of nodes is read, more are refused by their number alone', () => {
    expect(read(wide(LIMITS.pipelineNodes)).nodes).toHaveLength(LIMITS.pipelineNodes);
    const nodes = Array.from({ length: LIMITS.pipelineNodes + 1 }, () => 5);
    expect(found({ slug: 'x', nodes })).toEqual([
      `nodes: nodes is a list: a list of at most ${LIMITS.pipelineNodes} nodes expected`,
    ]);
  });

  test('edges are counted, also those that needs stands for', () => {
    const nodes = wide(200).nodes;
    const needs = (count: number) => nodes.slice(0, count).map(({ id }) => id);
    const value = {
      slug: 'x',
      nodes: nodes.map((node, index) => (index < 100 ? node : { ...node, needs: needs(100) })),
    };
    expect(found(value)).toEqual([
      `nodes: the nodes need 10100 others together: at most ${LIMITS.pipelineEdges} expected`,
    ]);
    const edges = Array.from({ length: LIMITS.pipelineEdges + 1 }, () => ({ from: 'trigger', to: 'n0' }));
    expect(found({ ...wide(1), edges })).toHaveLength(1);
  });

  test('a text parameter may be as long as a value', () => {
    const value = (length: number) => chain({ endpoint: 'notify', args: { text: 'x'.repeat(length) } });
    expect(found(value(LIMITS.valueBytes))).toEqual([]);
    expect(found(value(LIMITS.valueBytes + 1))[0]).toContain('too long');
  });
});

test('without known endpoints, as in a file, everything else is checked', () => {
  const checked = checkPipeline(chain({ endpoint: 'elsewhere', args: { a: '{input.no}' } }));
  expect(checked).toMatchObject({ issues: [{ path: ['nodes', 0, 'args', 'a'] }] });
});
