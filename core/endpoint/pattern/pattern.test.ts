import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchesWhole, type Pattern, parsePattern } from './pattern.ts';

function pattern(text: string): Pattern {
  const parsed = parsePattern(text);
  if (parsed.kind === 'problem') throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

function reference(text: string): RegExp {
  return new RegExp(`^(?:${text})$`, 'u');
}

describe('the texts that a pattern matches', () => {
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
    ['(?<year>\\d{4})-(?<month>\\d\\d)', '2026-11', true],
    ['\\bmain\\b.*', 'main branch', true],
    ['.*\\bmain', 'domain', false],
    ['\\p{Script=Greek}+', 'αβγ', true],
    ['\\p{gc=Lu}', 'É', true],
    ['[[:alpha:]', 'x', false],
    ['[[:alpha:]', '[', true],
    ['[a&&b]', '&', true],
    ['[^]', '\n', true],
    ['[]', 'a', false],
    ['[^\\S]', '\u00a0', true],
    ['[^\\s]', '\u00a0', false],
    ['[\\S]', '\u3000', false],
    ['\\x41\\u0042', 'AB', true],
    ['[\\]^-]+', ']-^', true],
    ['.', '\u2028', false],
    ['[.]', 'a', false],
    ['[a[]', '[', true],
    ['[a[]', 'z', false],
    ['[^[]+', 'ab', true],
    ['[a[^]', 'z', false],
    ['[(?].', '?\u2028', false],
    ['[(?]\\s', '? ', true],
    ['[(?\\s]', '\u00a0', true],
    ['[(?\\]]+', ')', false],
  ])('%s on %j: %p', (text, value, expected) => {
    expect(matchesWhole(pattern(text), value)).toBe(expected);
    expect(reference(text).test(value)).toBe(expected);
  });
});

describe('invalid patterns', () => {
  test.each([
    ['(a', 0, 'never closed'],
    ['(a)(b', 3, 'never closed'],
    ['a)', 1, 'closes nothing'],
    ['x[a', 1, 'never closed'],
    ['*a', 0, 'nothing stands in front'],
    ['a{2', 1, 'incomplete {} quantifier'],
    ['a**', 2, 'nothing stands in front'],
    ['x[z-a]', 1, 'range out of order'],
    ['[\\d-z]', 0, 'invalid range'],
    ['a{3,2}', 1, 'out of order'],
    ['^*', 1, 'nothing stands in front'],
    ['a(?=a)', 1, 'no look-around'],
    ['(?!a)', 0, 'no look-around'],
    ['(?<=a)', 0, 'no look-around'],
    ['(?<!a)', 0, 'no look-around'],
    ['(?i:a)', 0, 'no flags'],
    ['(?-i:a)', 0, 'no flags'],
    ['(a)\\1', 3, 'back-references'],
    ['(?<n>a)\\k<n>', 7, 'back-references'],
    ['\\q', 0, 'invalid escaped character'],
    ['\\-', 0, 'invalid escaped character'],
    ['[\\b]', 1, 'is not supported'],
    ['\\0', 0, 'is not supported'],
    ['\\cA', 0, 'is not supported'],
    ['\\p{Nope}', 0, 'invalid property'],
    ['\\u{110000}', 0, 'invalid Unicode code point'],
    ['a\\ud83d', 1, 'surrogate'],
    ['(a{100}){100}', 0, 'too large'],
    ['(\\w{30}){40}', 0, 'too large'],
    ['\\', 0, '\\ at end'],
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
  ...[
    '\\p{Lu}',
    '()',
    '\\n',
    '\\/',
    '[\\]^-]',
    '\\b',
    '\\B',
    '\\S',
    '[\\S\\n]',
    '[^\\s]',
    '[[:a]',
    '[b[]',
    '[^[]',
    '[(?]',
    '[(?\\s]',
    '\\v',
    '(?<n>b)',
  ],
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
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    '1',
    ' ',
    '\n',
    '-',
    '.',
    'A',
    'é',
    '\u{1f600}',
    '/',
    ']',
    '[',
    '\u00a0',
    '\u2028',
    '\v',
    '_',
  ),
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

test('any accepted text means the same to RegExp', () => {
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

test.each(['(a+)+$|(a|a)*b|((a{0,9}){0,9})*c', '(x+x+)+y|(a*)*b', '(.*)(.*)(.*)(.*)z', '(a|b)*a(a|b){20}b'])(
  '%s, on which RegExp explodes, takes a time that grows with the length alone',
  (text) => {
    const evil = pattern(text);
    // NOTE: A backtracking engine needs years for these; the bound is that of the test.
    expect(matchesWhole(evil, `${'a'.repeat(100_000)}!`)).toBe(false);
  },
);
