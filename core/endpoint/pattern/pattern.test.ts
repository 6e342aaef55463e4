import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchesWhole } from './matches-whole.ts';
import { type Pattern, parsePattern } from './parse-pattern.ts';

function pattern(text: string): Pattern {
  const parsed = parsePattern(text);
  if (parsed.kind === 'problem') throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

function reference(text: string): RegExp {
  return new RegExp(`^(?:${text})$`, 'u');
}

describe('what a pattern matches', () => {
  test.each([
    ['[a-z]+', 'main', true],
    ['[a-z]+', 'main\n', false],
    ['a', 'ba', false],
    ['^v\\d+(\\.\\d+){2}$', 'v1.20.3', true],
    ['^v\\d+(\\.\\d+){2}$', 'v1.20', false],
    ['a|bc', 'bc', true],
    ['a|bc', 'abc', false],
    ['', '', true],
    ['', 'a', false],
    ['[^/]{1,3}', 'ab', true],
    ['[^/]{1,3}', 'a/b', false],
    ['.', '\u{1f600}', true],
    ['.', '\n', false],
    ['\\u{1f600}+', '\u{1f600}\u{1f600}', true],
    ['\\p{L}+', 'Füße', true],
    ['\\P{L}+', 'Füße', false],
    ['[\\w.-]+', 'a_b-c.d', true],
  ])('%s on %j: %p', (text, value, expected) => {
    expect(matchesWhole(pattern(text), value)).toBe(expected);
    expect(reference(text).test(value)).toBe(expected);
  });
});

describe('what is no pattern', () => {
  test.each([
    ['(a', 0, 'never closed'],
    ['a)', 1, 'closes nothing'],
    ['[a', 0, 'never closed'],
    ['*a', 0, 'stands alone'],
    ['a{2', 1, 'stands alone'],
    ['a**', 2, 'stands alone'],
    ['[z-a]', 1, 'backwards'],
    ['[\\d-z]', 1, 'a set cannot'],
    ['a{3,2}', 1, 'backwards'],
    ['^*', 1, 'cannot be repeated'],
    ['(?=a)', 0, 'no look-around'],
    ['(?<n>a)', 0, 'no names'],
    ['(a)\\1', 3, 'back-references'],
    ['\\bword', 0, 'word borders'],
    ['\\q', 0, 'means nothing'],
    ['\\-', 0, 'means nothing'],
    ['\\p{Nope}', 0, 'no Unicode property'],
    ['\\u{110000}', 0, 'beyond the last'],
    ['\\ud83d', 0, 'surrogate'],
    ['(a{100}){100}', 0, 'too large'],
    ['\\', 1, 'ends too early'],
  ])('%s', (text, offset, message) => {
    const parsed = parsePattern(text);
    expect(parsed).toMatchObject({ kind: 'problem', offset });
    expect(parsed.kind === 'problem' && parsed.message).toContain(message);
  });
});

test('a text that is too long is no pattern', () => {
  expect(parsePattern('a'.repeat(1000))).toMatchObject({ message: expect.stringContaining('too large') });
  expect(parsePattern('a'.repeat(1001))).toMatchObject({ message: 'a pattern has at most 1000 characters' });
});

test('an empty group repeated a billion times costs nothing', () => {
  expect(matchesWhole(pattern('((){1000000000}){1000000000}'), '')).toBe(true);
  expect(matchesWhole(pattern('((){1000000000}){1000000000}'), 'a')).toBe(false);
});

const leaf = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '\\d',
    '\\W',
    '\\s',
    '[ab]',
    '[^a]',
    '[a-c\\d-]',
    '[]',
    '[^]',
    '\\u{1f600}',
    '\\.',
    'é',
    '^',
    '$',
  ],
  ...['\\p{Lu}', '()', '\\n', '\\/', '[\\]^-]'],
);
const { tree: generatedPattern } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => a + b),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `${a}|${b}`),
    fc
      .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '??'))
      .map(([a, q]) => `(?:${a})${q}`),
    tie('tree').map((a) => `(${a})`),
  ),
}));
const subject = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '-', '.', 'A', 'é', '\u{1f600}', '/', ']'),
  maxLength: 8,
});

test('a generated pattern matches what RegExp matches', () => {
  fc.assert(
    fc.property(generatedPattern, fc.array(subject, { minLength: 6, maxLength: 6 }), (text, values) => {
      const parsed = parsePattern(text);
      fc.pre(parsed.kind === 'pattern');
      for (const value of values) expect(matchesWhole(parsed, value)).toBe(reference(text).test(value));
    }),
    { numRuns: 3000 },
  );
});

test('whatever text is accepted means the same to RegExp', () => {
  const text = fc.string({
    unit: fc.constantFrom(...Array.from('ab01(|)[]{},?*+.^$-\\dwsDnxu:=')),
    maxLength: 10,
  });
  fc.assert(
    fc.property(text, subject, (candidate, value) => {
      const parsed = parsePattern(candidate);
      if (parsed.kind === 'problem') return;
      expect(matchesWhole(parsed, value)).toBe(reference(candidate).test(value));
    }),
    { numRuns: 10_000 },
  );
});

test('a pattern on which RegExp explodes takes a number of steps that grows with the length alone', () => {
  const evil = pattern('(a+)+$|(a|a)*b|((a{0,9}){0,9})*c');
  let looks = 0;
  const counted: Pattern = {
    ...evil,
    states: new Proxy(evil.states, {
      get(states, key, receiver) {
        looks += 1;
        return Reflect.get(states, key, receiver);
      },
    }),
  };
  expect(matchesWhole(counted, `${'a'.repeat(5000)}!`)).toBe(false);
  expect(looks).toBeLessThan(5000 * evil.states.length * 4);
});
