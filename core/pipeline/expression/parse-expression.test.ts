import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LIMITS } from '../../plan/limits.ts';
import type { ValueReference } from '../reference/reference.ts';
import { evaluate } from './evaluate.ts';
import { COMPARISONS, type Expression } from './expression.ts';
import { formatExpression } from './fixtures/format-expression.ts';
import { parseExpression, referencesOf } from './parse-expression.ts';

test.each<[string, number, string]>([
  ['', 0, 'a literal, a reference'],
  ['  ', 2, 'a literal, a reference'],
  ['1 ==', 4, 'a literal, a reference'],
  ['1 = 1', 2, '"==" expected'],
  ['true & false', 5, '"&&" expected'],
  ['true | false', 5, '"||" expected'],
  ['1 < 2 < 3', 6, 'not compared again'],
  ['1 2', 2, 'an operator or the end'],
  ['(true', 5, '")" expected for the "(" at 1'],
  ['true)', 4, 'an operator or the end'],
  ['"abc', 0, 'does not end'],
  ['"a\\x"', 3, 'after \\'],
  ['yes == true', 0, '"yes": true, false'],
  ['True', 0, '"True": true, false'],
  ['01', 0, 'a number expected'],
  ['1.', 0, 'a number expected'],
  ['- 1', 0, 'a number expected'],
  ['5px', 0, 'a number expected'],
  ['1e999', 0, 'too large'],
  ['a + b', 0, '"a"'],
  ['1 + 2', 2, '"+" cannot stand here'],
  ['true; false', 4, '";" cannot stand here'],
  ['{input.a}()', 9, 'an operator or the end'],
  ['{input}', 6, 'the name of a field expected'],
  ['{env.HOME}', 1, '"env": input, trigger or steps'],
  ['{steps}', 6, 'the id of a step'],
  ['{steps.a}', 8, 'output, exit_code, data'],
  ['{steps.a.stdout}', 8, 'output, exit_code, data'],
  ['{steps.a.output.x}', 8, 'output, exit_code, data'],
  ['{input.a', 8, '"." or "}" expected'],
  ['{input..a}', 7, 'a name expected'],
  ['{ input.a}', 1, 'a name expected'],
])('%j is refused at %i', (text, offset, message) => {
  const parsed = parseExpression(text);
  expect(parsed).toMatchObject({ kind: 'problem', offset });
  expect(parsed).toHaveProperty('message', expect.stringContaining(message));
});

describe('limits', () => {
  test('as deep as may be is read, one deeper is refused where it begins', () => {
    const most = LIMITS.expressionDepth;
    const nested = (depth: number) => `${'('.repeat(depth)}true${')'.repeat(depth)}`;
    expect(parseExpression(nested(most)).kind).toBe('expression');
    expect(parseExpression(nested(most + 1))).toMatchObject({ kind: 'problem', offset: most });
    expect(parseExpression(`${'!'.repeat(most)}true`).kind).toBe('expression');
    expect(parseExpression(`${'!'.repeat(most + 1)}true`)).toMatchObject({ kind: 'problem', offset: most });
  });

  test('depth is what stands inside one another, not side by side', () => {
    const many = Array.from({ length: 200 }, () => '(!(true))').join(' || ');
    expect(parseExpression(many).kind).toBe('expression');
  });

  test('a text of the greatest length is read, a longer one is refused', () => {
    const text = (length: number) => `"${'a'.repeat(length - 2)}"`;
    expect(parseExpression(text(LIMITS.expressionChars)).kind).toBe('expression');
    expect(parseExpression(text(64 * 1024))).toMatchObject({ kind: 'problem', offset: 0 });
  });
});

test('references are returned with their places', () => {
  const parsed = parseExpression('!{input.a} || ({steps.b.data.c} == 1 && 2 < {input.d.e})');
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  expect(referencesOf(parsed.expression).map(({ offset }) => offset)).toEqual([1, 15, 44]);
});

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,6}$/);
const reference: fc.Arbitrary<ValueReference> = fc.oneof(
  fc.record({ from: fc.constant('input' as const), path: fc.tuple(name, name) }),
  fc.record({
    from: fc.constant('step' as const),
    step: name,
    field: fc.constant('data' as const),
    path: fc.array(name, { maxLength: 3 }),
  }),
);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const quotable = fc.constantFrom('\\', '"', "'", '\n', '\r', '\t', 'n', '{', '\0');
const literal = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: quotable }),
  number,
  fc.boolean(),
  fc.constant(null),
);

const { tree } = fc.letrec<{ tree: Expression; flat: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.record({ kind: fc.constant('literal' as const), value: literal }),
    fc.record({ kind: fc.constant('reference' as const), reference, offset: fc.constant(0) }),
    fc.record({ kind: fc.constant('not' as const), operand: tie('tree') }),
    fc.record({
      kind: fc.constant('compare' as const),
      operator: fc.constantFrom(...COMPARISONS),
      left: tie('tree'),
      right: tie('tree'),
    }),
    tie('flat'),
  ),
  flat: fc.record({
    kind: fc.constantFrom('and' as const, 'or' as const),
    operands: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
  }),
}));

test('a condition that is written and read again is the same condition', () => {
  fc.assert(
    fc.property(tree, (expression) => {
      const text = formatExpression(expression);
      fc.pre(text.length <= LIMITS.expressionChars);
      const parsed = parseExpression(text);
      expect(parsed.kind === 'problem' ? parsed : withoutOffsets(parsed.expression)).toEqual(
        withoutOffsets(expression),
      );
    }),
    { numRuns: 2_000 },
  );
});

function withoutOffsets(expression: Expression): unknown {
  return JSON.parse(JSON.stringify(expression, (key, value) => (key === 'offset' ? undefined : value)));
}

const piece = fc.oneof(
  fc.constantFrom(...COMPARISONS, '&&', '||', '!', '(', ')', '{', '}', '"', "'", '\\', '.', '-', '=', '&'),
  fc.constantFrom(
    'true',
    'null',
    '{input.a}',
    '{steps.b.output}',
    '{input.',
    '1',
    '1e5',
    '"x"',
    ' ',
    '\n',
    '\0',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const noise = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  tree.map(formatExpression),
);

test('any text at all gives a value or a problem with its place in the text', () => {
  const scope = { input: { a: 1 }, resultOf: () => ({ output: 'x' }) };
  let values = 0;
  fc.assert(
    fc.property(noise, (text) => {
      const parsed = parseExpression(text);
      if (parsed.kind === 'expression') {
        values += 1;
        expect(['boolean', 'string', 'number', 'object']).toContain(
          typeof evaluate(parsed.expression, scope),
        );
        return;
      }
      expect(parsed.message).not.toBe('');
      expect(parsed.offset).toBeWithin(0, text.length + 1);
    }),
    { numRuns: 10_000 },
  );
  expect(values).toBeGreaterThan(1_000);
});
