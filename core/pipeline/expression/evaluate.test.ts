import { expect, test } from 'bun:test';
import { Script } from 'node:vm';
import fc from 'fast-check';
import type { Scope } from '../reference/resolve-reference.ts';
import { isTrue } from './evaluate.ts';
import { parseExpression } from './parse-expression.ts';

const scope: Scope = {
  input: {
    ref: 'main',
    count: 3,
    draft: false,
    commit: { id: 'a1', tags: ['x', 'y'] },
    same: { tags: ['x', 'y'], id: 'a1' },
  },
  resultOf: (step) =>
    new Map([
      ['build', { exitCode: 2, output: 'ok\n\n' }],
      ['stat', { exitCode: 0, data: { rows: [{ n: 1 }], none: null } }],
    ]).get(step),
};

function answer(text: string): boolean {
  const parsed = parseExpression(text);
  if (parsed.kind === 'problem') throw new Error(`${parsed.offset}: ${parsed.message}`);
  return isTrue(parsed.expression, scope);
}

test.each<[string, boolean]>([
  ['{input.ref} == "main"', true],
  ["{input.ref} == 'main'", true],
  ['{input.ref} != "main"', false],
  ['{input.count} >= 3 && {input.count} < 4', true],
  ['{input.count} > 3', false],
  ['{input.count} <= 2', false],
  ['{steps.build.exit_code} == 2', true],
  ['{steps.build.output} == "ok\\n"', true],
  ['{steps.stat.data.rows.0.n} == 1', true],
  ['{steps.stat.data.rows.length} == null', true],
  ['{steps.stat.output} == null', true],
  ['{steps.other.exit_code} == null', true],
  ['{input.commit.tags.1} == "y"', true],
  ['{input.commit} == {input.same}', true],
  ['{input.commit} == {input.commit.tags}', false],
  ['"a\\\\b" == \'a\\\\b\'', true],
  ['"\\"" == \'"\'', true],
  ['"\\\'" == "\'"', true],
  ['"a" < "b"', true],
  ['"B" < "a"', true],
  ['"10" < "9"', true],
])('%s is %p', (text, expected) => {
  expect(answer(text)).toBe(expected);
});

test.each<[string, boolean]>([
  ['{input.absent} == null', true],
  ['{input.absent.deeper} == null', true],
  ['{input.ref.length} == null', true],
  ['{input.constructor} == null', true],
  ['{input.__proto__} == null', true],
  ['{input.draft} == null', false],
  ['0 == false', false],
  ['"" == false', false],
  ['"3" == 3', false],
  ['"3" != 3', true],
  ['null == false', false],
])('a missing value is null, and unequal types are never equal: %s', (text, expected) => {
  expect(answer(text)).toBe(expected);
});

test.each([
  '{input.absent} < 1',
  '{input.absent} >= 0',
  '"3" < 4',
  'null <= null',
  'true >= false',
  '{input.commit} < 1',
])('has no order, so does not hold: %s', (text) => {
  expect(answer(text)).toBe(false);
  expect(answer(`!(${text})`)).toBe(true);
});

test.each(['"yes"', '1', '"true"', '{input.ref}', '{input.commit}', 'null'])(
  'only true is true: %s',
  (text) => {
    expect(answer(text)).toBe(false);
    expect(answer(`!${text}`)).toBe(true);
    expect(answer(`${text} && true`)).toBe(false);
    expect(answer(`${text} || true`)).toBe(true);
  },
);

test.each<[string, boolean]>([
  ['true || true && false', true],
  ['(true || true) && false', false],
  ['false && true || true', true],
  ['false && (true || true)', false],
  ['!true || true', true],
  ['!(true || true)', false],
  ['!1 == 1', false],
  ['!(1 == 1)', false],
  ['!false == true', true],
  ['!!true', true],
  ['1 == 1 && 2 == 3', false],
  ['1 == 2 || 3 == 3', true],
])('precedence: %s is %p', (text, expected) => {
  expect(answer(text)).toBe(expected);
});

const blank = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
const joined = (parts: fc.Arbitrary<string>, operator: string) =>
  fc
    .tuple(fc.array(parts, { minLength: 1, maxLength: 3 }), blank)
    .map(([all, gap]) => all.join(`${gap}${operator}${gap}`));

/** Conditions as people write them, with parentheses here and there, of what means the same in JavaScript. */
const { condition } = fc.letrec<Record<'condition' | 'every' | 'compared' | 'unary', string>>((tie) => ({
  condition: joined(tie('every'), '||'),
  every: joined(tie('compared'), '&&'),
  compared: fc.oneof(
    { weight: 3, arbitrary: tie('unary') },
    fc
      .tuple(
        fc.constantFrom('0', '1', '-1.5', '2e1'),
        fc.constantFrom('<', '<=', '>', '>=', '==', '!='),
        blank,
      )
      .chain(([left, operator, gap]) =>
        fc.constantFrom('0', '1', '-1.5', '2e1').map((right) => `${left}${gap}${operator}${gap}${right}`),
      ),
    fc
      .tuple(tie('unary'), fc.constantFrom('==', '!='), tie('unary'))
      .map(([left, operator, right]) => `${left} ${operator} ${right}`),
  ),
  unary: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('true', 'false'),
    tie('unary').map((operand) => `!${operand}`),
    fc.tuple(tie('condition'), blank).map(([inner, gap]) => `(${gap}${inner}${gap})`),
  ),
}));

test('operators bind as they do in JavaScript, whatever stands beside and inside one another', () => {
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(condition, (text) => {
      const expected = new Script(text).runInThisContext() as boolean;
      seen.add(expected);
      expect(answer(text)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
  expect(seen.size).toBe(2);
});

const VALUES = [
  null,
  true,
  false,
  0,
  1,
  -1.5,
  '',
  '1',
  'a',
  'B',
  [1],
  [1, 2],
  { a: 1 },
  { a: 1, b: 2 },
] as const;

test('each two values are equal or not, and in order or not, as their types say', () => {
  const compares = (left: unknown, operator: string, right: unknown) => {
    const parsed = parseExpression(`{input.l} ${operator} {input.r}`);
    if (parsed.kind === 'problem') throw new Error(parsed.message);
    return isTrue(parsed.expression, { input: { l: left, r: right } as never, resultOf: () => undefined });
  };
  for (const [first, left] of VALUES.entries())
    for (const [second, right] of VALUES.entries()) {
      expect([left, right, compares(left, '==', right)]).toEqual([left, right, first === second]);
      expect(compares(left, '!=', right)).toBe(first !== second);
      const kind = typeof left === typeof right && typeof left;
      const isOrdered = kind === 'number' || kind === 'string';
      const [l, r] = [left as number, right as number];
      expect(['<', '<=', '>', '>='].map((operator) => compares(left, operator, right))).toEqual(
        isOrdered ? [l < r, l <= r, l > r, l >= r] : [false, false, false, false],
      );
    }
});

test('values nested deeper than any stack are compared', () => {
  const deep = () => {
    let value: unknown = 1;
    for (let i = 0; i < 200_000; i++) value = [value];
    return value as never;
  };
  const parsed = parseExpression('{input.a} == {input.b}');
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  expect(isTrue(parsed.expression, { input: { a: deep(), b: deep() }, resultOf: () => undefined })).toBe(
    true,
  );
});
