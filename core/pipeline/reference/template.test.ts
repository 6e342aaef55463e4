import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonValue } from './json-value.ts';
import type { Scope } from './resolve-reference.ts';
import { parseTextTemplate, referencesIn, resolveTemplate, resolveText, stepFile } from './template.ts';

const scope: Scope = {
  input: {
    name: 'x',
    count: 3,
    on: false,
    commit: { id: 'a1', list: [1, 'b'] },
    hostile: '{input.name} $(id)\n',
  },
  resultOf: (step) =>
    step === 'build' ? { exitCode: 0, output: 'line\n\n', data: { a: [true] } } : undefined,
};

function template(text: string) {
  const read = parseTextTemplate(text);
  if (read.kind === 'problem') throw new Error(read.message);
  return read.template;
}

test.each<[string, JsonValue, string | undefined]>([
  ['plain', 'plain', 'plain'],
  ['', '', ''],
  ['{input.name}', 'x', 'x'],
  ['{input.count}', 3, '3'],
  ['{input.on}', false, 'false'],
  ['{input.commit}', { id: 'a1', list: [1, 'b'] }, '{"id":"a1","list":[1,"b"]}'],
  ['{input.commit.list.1}', 'b', 'b'],
  ['{input.absent}', null, undefined],
  ['{steps.build.exit_code}', 0, '0'],
  ['{steps.build.output}', 'line\n', 'line\n'],
  ['{steps.build.data.a}', [true], '[true]'],
  ['{steps.other.output}', null, undefined],
  ['n={input.count}, {input.commit.list}{input.absent}.', 'n=3, [1,"b"].', 'n=3, [1,"b"].'],
  [' {input.count}', ' 3', ' 3'],
])('%j stands for %j', (text, value, asText) => {
  expect(resolveTemplate(template(text), scope)).toEqual(value);
  expect(resolveText(template(text), scope)).toBe(asText);
});

test('only a whole text names a file of a step, and the name may have dots and slashes', () => {
  expect(stepFile(template('{steps.build.artifacts.dist/app (1).tar.gz}'))).toEqual({
    step: 'build',
    name: 'dist/app (1).tar.gz',
  });
  expect(stepFile(template(' {steps.build.artifacts.app}'))).toBeUndefined();
  expect(stepFile(template('{steps.build.output}'))).toBeUndefined();
  expect(stepFile(template('/executions/1/artifacts/app'))).toBeUndefined();
});

test.each([
  '{steps.build.artifacts}',
  '{steps.build.artifacts.}',
  '{steps.build.artifacts.../etc/passwd}',
  '{steps.build.artifacts./etc/passwd}',
  '{steps.build.artifacts.app',
])('%j names no file', (text) => {
  expect(parseTextTemplate(text).kind).toBe('problem');
});

test.each([
  '{',
  '{}',
  '{"input": 1}',
  '{{.Names}}',
  '${HOME}',
  '{inputs.a}',
  '{input-a.b}',
  '{ input.a }',
  'a{b}',
])('%j is text', (text) => {
  expect(resolveTemplate(template(text), scope)).toBe(text);
});

test.each<[string, number]>([
  ['{input}', 6],
  ['a {input.}', 9],
  ['{input.a b}', 8],
  ['{steps.build}', 12],
  ['{steps.build.stdout}', 12],
  ['{steps.build.exit_code.x}', 12],
  [`{input.${'a.'.repeat(40)}a}`, 70],
])('%j is refused at %i', (text, offset) => {
  expect(parseTextTemplate(text)).toMatchObject({ kind: 'problem', offset });
});

describe('the value of a reference', () => {
  test('is data: a reference in it is not followed', () => {
    expect(resolveText(template('<{input.hostile}>'), scope)).toBe('<{input.name} $(id)\n>');
  });

  test('reaches the parameter byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const given = { ...scope, input: { v: value } };
        expect(resolveText(template('{input.v}'), given)).toBe(value);
        expect(resolveText(template('a{input.v}b'), given)).toBe(`a${value}b`);
      }),
    );
  });
});

test('thousands of references to much become no gigabytes', () => {
  const text = resolveText(template('{input.v}'.repeat(7_000)), {
    ...scope,
    input: { v: 'x'.repeat(1_000_000) },
  });
  expect(text).toHaveLength(1_000_000);
});

test('output loses one final newline, also one of two characters', () => {
  const after = (output: string) =>
    resolveText(template('{steps.a.output}'), { input: {}, resultOf: () => ({ output }) });
  expect(['a', 'a\n', 'a\r\n', 'a\n\n', '\n', ' a \n'].map(after)).toEqual(['a', 'a', 'a', 'a\n', '', ' a ']);
});

test('references are listed in the order of the text', () => {
  expect(referencesIn(template('{input.a} {steps.b.data}'))).toEqual([
    { from: 'input', path: ['a'] },
    { from: 'step', step: 'b', field: 'data', path: [] },
  ]);
});
