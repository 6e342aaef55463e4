import { describe, expect, test } from 'bun:test';
import { problemsOf } from './fixtures/svc-yaml.ts';
import { parseConfig } from './parse-config.ts';
import { formatProblem } from './problem.ts';

/** A file with two endpoints and these lines under `pipelines:`. */
function pipelineFile(...lines: readonly string[]): string {
  return [
    'version: 1',
    'endpoints:',
    '  - {name: build, command: "echo {{ref}}", args: [{name: ref, required: true}]}',
    '  - {name: tell, command: echo, accepts_env: [A]}',
    'pipelines:',
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

function parsed(...lines: readonly string[]) {
  const result = parseConfig(pipelineFile(...lines));
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return result;
}

describe('pipelines in a file', () => {
  test('are read with the texts that their author wrote', () => {
    const { config, warnings } = parsed(
      '- name: release',
      '  trigger:',
      '    type: webhook',
      '    input_schema: [{name: ref, type: string}]',
      '    secret: $svc:HOOK',
      '  nodes:',
      '    - {id: main, expression: "{input.ref} == \'main\'"}',
      '    - {id: build, endpoint: build, args: {ref: 1.10}, needs: [main]}',
      '    - {id: other, endpoint: tell, needs: [{node: main, when: false}]}',
    );
    expect(warnings).toEqual([]);
    expect(config.pipelines).toMatchObject([
      {
        slug: 'release',
        trigger: { type: 'webhook', secret: '$svc:HOOK' },
        nodes: [{ id: 'main' }, { id: 'build', args: { ref: '1.10' } }, { id: 'other' }],
        edges: [
          { from: 'trigger', to: 'main' },
          { from: 'main', to: 'build' },
          { from: 'main', to: 'other', when: false },
        ],
      },
    ]);
  });

  test('may be left out, and a file may have nothing else', () => {
    expect(parseConfig('version: 1\nendpoints: []\n')).toMatchObject({ config: { pipelines: [] } });
    const alone = parseConfig(
      'version: 1\nendpoints: []\npipelines: [{name: a, nodes: [{id: x, endpoint: far}]}]\n',
    );
    expect(alone).toMatchObject({ kind: 'config', config: { pipelines: [{ slug: 'a' }] } });
    expect(alone.kind === 'config' && alone.warnings.map(({ message }) => message)).toEqual([
      'endpoint "far" is not in this file; the hub must have it from elsewhere',
    ]);
  });

  test('may call an endpoint outside the file, which is a warning with the likely name', () => {
    const { warnings } = parsed('- {name: a, nodes: [{id: x, endpoint: tel}, {id: y, endpoint: tell}]}');
    expect(warnings.map((one) => formatProblem('svc.yaml', one))).toEqual([
      'svc.yaml:6:41: endpoint "tel" is not in this file; the hub must have it from elsewhere; did you mean "tell"?',
    ]);
  });
});

describe('a mistake in a pipeline is reported with its place', () => {
  const step = '{id: x, endpoint: tell}';
  const table: [mistake: string, lines: readonly string[], ...problems: string[]][] = [
    ['pipelines as a map', ['a: b'], '6:3 pipelines is a map: a list of pipelines expected'],
    ['a word', ['- release'], '6:5 a map with a name and nodes expected'],
    ['no nodes', ['- name: a'], '6:5 key "nodes" is missing: a list of at most 1000 nodes expected'],
    [
      'no name',
      [`- nodes: [${step}]`],
      '6:5 key "slug" is missing: up to 64 lower-case letters, digits, "_" and "-", the first a letter or digit, expected',
    ],
    [
      'the name of an endpoint',
      ['- name: build', `  nodes: [${step}]`],
      '6:11 pipeline "build" stands twice; first in line 3',
    ],
    [
      'a slug that stands twice',
      [`- {name: a, nodes: [${step}]}`, `- {slug: a, nodes: [${step}]}`],
      '7:12 pipeline "a" stands twice; first in line 6',
    ],
    [
      'an argument that the endpoint does not have',
      ['- name: a', '  nodes:', '    - id: x', '      endpoint: build', '      args: {rev: 1, ref: 2}'],
      '10:16 endpoint "build" has no argument "rev"; did you mean "ref"?',
    ],
    [
      'a reference to nothing',
      [
        '- name: a',
        '  nodes:',
        '    - id: x',
        '      endpoint: tell',
        '      env: {A: "is {steps.y.output} or {steps.z.output}"}',
      ],
      '10:22 {steps.y.output}: there is no step "y"; there are x',
      '10:42 {steps.z.output}: there is no step "z"; there are x',
    ],
    [
      'an invalid expression, on its second line',
      ['- name: a', '  nodes:', '    - id: x', '      expression: |', '        1 == 1 &&', '          2 = 2'],
      '11:15 expression: "=" is no operator; "==" expected (character 15)',
    ],
    [
      'a circle',
      [
        '- name: a',
        '  nodes:',
        '    - {id: x, endpoint: tell, needs: [y]}',
        '    - {id: y, endpoint: tell, needs: [x]}',
      ],
      '8:41 the nodes wait for each other in a circle: x → y → x; remove one of these edges',
    ],
    [
      'a node that nothing leads to',
      ['- name: a', `  nodes: [${step}, {id: y, endpoint: tell}]`, '  edges: [{from: trigger, to: x}]'],
      '7:39 node "y" is not reached: an edge to it expected, from "trigger" or from a node',
    ],
    [
      'a secret in plain sight',
      ['- name: a', '  trigger: {type: webhook, secret: hunter2}', `  nodes: [${step}]`],
      '7:38 a file is no place for a secret; a managed one expected, as $svc:NAME',
    ],
    [
      'a misspelt key of a node',
      ['- name: a', '  nodes:', '    - id: x', '      endpoint: tell', '      tiemout: 5'],
      '10:9 unknown key "tiemout": did you mean "timeout"?',
    ],
  ];
  test.each(table)('%s', (_mistake, lines, ...problems) => {
    expect(problemsOf(pipelineFile(...lines))).toEqual(problems);
  });

  test('all of them at once, with those of endpoints, in the order of the file', () => {
    const lines = [
      '- name: No',
      '  nodes: [{id: x, endpoint: 1}]',
      '- {name: b, nodes: [{id: 1x, endpoint: tell}]}',
    ];
    const file = pipelineFile(...lines).replace('command: echo,', 'comand: echo,');
    expect(problemsOf(file).map((problem) => problem.split(' ')[0])).toEqual([
      '4:18',
      '6:11',
      '7:31',
      '8:28',
    ]);
  });
});
