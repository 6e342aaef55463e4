import { describe, expect, test } from 'bun:test';
import { problemsOf } from '../../config/fixtures/svc-yaml.ts';
import type { Argument } from '../definition.ts';
import { acceptedChoices, missingChoice, readChoices, searchChoices } from './choice-list.ts';
import { sourceValues } from './choice-source.ts';

const argument: Argument = {
  name: 'x',
  required: true,
  type: 'word',
  inferred: false,
  secret: false,
  allowDash: false,
  choicesFrom: 'list',
};

describe('the output of a list', () => {
  test.each<[string, object]>([
    ['a\r\nb c\n\na\n', [{ value: 'a' }, { value: 'b c' }]],
    ['', []],
    [
      '["a", 2, true, {"value": "b", "label": "B"}, {"value": 3}]',
      [{ value: 'a' }, { value: '2' }, { value: 'true' }, { value: 'b', label: 'B' }, { value: '3' }],
    ],
  ])('%j', (output, choices) => {
    expect(readChoices(output)).toEqual({ kind: 'choices', choices: choices as never });
  });

  test('is no list with other JSON, or with more than 10,000 values', () => {
    expect(readChoices('[["a"]]')).toMatchObject({ kind: 'problem' });
    expect(readChoices('["a"')).toMatchObject({ kind: 'problem' });
    expect(readChoices('[{"label": "a"}]')).toMatchObject({ kind: 'problem' });
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`).join('\n');
    expect(readChoices(lines(10_000)).kind).toBe('choices');
    expect(readChoices(lines(10_001))).toMatchObject({ problem: expect.stringContaining('10001 values') });
  });

  test('is searched in values and labels, and without what the type refuses', () => {
    const choices = [{ value: 'eu-1', label: 'Frankfurt' }, { value: '-rf' }, { value: 'us-1' }];
    expect(searchChoices(choices, 'FRANK')).toEqual([choices[0] as never]);
    expect(searchChoices(choices, '-1')).toHaveLength(2);
    expect(acceptedChoices(argument, choices)).toEqual([choices[0], choices[2]] as never);
  });

  test('has a value, and each item of a list', () => {
    expect(missingChoice(argument, 'a', [{ value: 'a' }])).toBeUndefined();
    expect(missingChoice(argument, 'b', [{ value: 'a' }])).toBe('b');
    const list = { ...argument, type: 'list', items: 'word' } as const;
    expect(missingChoice(list, '["a","b"]', [{ value: 'a' }])).toBe('b');
  });
});

test('a list gets the values of other arguments, their defaults, and fixed texts', () => {
  const choicesArgs = { region: '{{env}}', kind: 'small' };
  const env = { ...argument, name: 'env', default: 'test' };
  const of = (args: Argument[], given: [string, string][]) =>
    sourceValues({ choicesArgs }, args, new Map(given));
  expect(of([env], [['env', 'prod']])).toEqual({
    values: new Map([
      ['region', 'prod'],
      ['kind', 'small'],
    ]),
  });
  expect(of([env], [])).toEqual({
    values: new Map([
      ['region', 'test'],
      ['kind', 'small'],
    ]),
  });
  const { default: _, ...needed } = env;
  expect(of([needed], [])).toEqual({ missing: 'env' });
  expect(of([{ ...needed, required: false }], [])).toEqual({ values: new Map([['kind', 'small']]) });
});

describe('a definition is refused where its list', () => {
  const fileOf = (argumentKeys: string, ...endpoints: string[]) =>
    [
      'version: 1',
      'endpoints:',
      `  - { name: deploy, command: 'echo {{x}}', args: [{ name: x, ${argumentKeys} }, { name: env, choices_from: envs }] }`,
      '  - { name: envs, command: cat envs.txt }',
      ...endpoints.map((line) => `  - ${line}`),
      '',
    ].join('\n');
  test.each<[string, string, string[], string]>([
    [
      'is of no endpoint',
      'choices_from: envz',
      [],
      'there is no endpoint "envz" in this file; did you mean "envs"?',
    ],
    [
      'waits for approval',
      'choices_from: guarded',
      ['{ name: guarded, command: ls, approval_required: true }'],
      'needs an approval',
    ],
    [
      'runs on another agent',
      'choices_from: far',
      ['{ name: far, command: ls, agent_name: far }'],
      'runs on agent "far"',
    ],
    [
      'uses a secret',
      'choices_from: keys',
      ['{ name: keys, command: ls $svc:KEY }'],
      'uses the secret "KEY"',
    ],
    ['is of itself', 'choices_from: deploy', [], 'need each other: deploy → deploy'],
    [
      'needs this endpoint again',
      'choices_from: other',
      ["{ name: other, command: 'echo {{y}}', args: [{ name: y, choices_from: deploy }] }"],
      'deploy → other → deploy',
    ],
    [
      'lacks a value',
      'choices_from: other',
      ["{ name: other, command: 'echo {{y}}', args: [{ name: y, required: true }] }"],
      'needs a value for "y"',
    ],
    ['has no such argument', 'choices_from: envs, choices_args: { a: b }', [], 'has no argument "a"'],
    [
      'depends on no argument',
      "choices_from: envs, choices_args: { a: '{{envv}}' }",
      [],
      'did you mean "env"?',
    ],
    ['depends on itself', "choices_from: envs, choices_args: { a: '{{x}}' }", [], 'x → x'],
    ['is beside choices', 'choices_from: envs, choices: [a]', [], 'say the same twice'],
    ['is of a secret', 'choices_from: envs, secret: true, type: text', [], 'in no list'],
    ['is of a boolean', 'choices_from: envs, type: boolean', [], 'does not go with "type: boolean"'],
    ['is left out', 'choices_ttl: 3', [], 'choices_ttl needs choices_from'],
  ])('%s', (_, keys, endpoints, message) => {
    expect(problemsOf(fileOf(keys, ...endpoints)).join('\n')).toContain(message);
  });

  test('and accepted with a secret that is not checked, and on the same agent', () => {
    const secret = '{ name: keys, command: ls $svc:KEY }';
    expect(problemsOf(fileOf('choices_from: keys, choices_check: false', secret))).toEqual([]);
    expect(problemsOf(fileOf('choices_from: envs'))).toEqual([]);
  });
});
