import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Document, isScalar, parseDocument, Scalar } from 'yaml';
import { sourceOffsets } from './source-position.ts';

const OPTIONS = { keepSourceTokens: true, schema: 'core' } as const;

/** The first scalar that is a value of the document's only key. */
function scalarIn(yaml: string): Scalar | undefined {
  const document = parseDocument(yaml, OPTIONS);
  const node: unknown = document.get('k', true);
  return document.errors.length === 0 && isScalar(node) ? node : undefined;
}

/** Where in the YAML each character of the marked value stands: the value must hold one `X`, and so must the YAML. */
function offsetOfX(yaml: string): number {
  const scalar = scalarIn(yaml);
  if (!scalar) throw new Error('no scalar');
  return sourceOffsets(scalar)(String(scalar.source).indexOf('X'));
}

describe('the place of a character of a value', () => {
  const places: [style: string, yaml: string][] = [
    ['a plain scalar', 'k: ab X cd\n'],
    ['a plain scalar over lines', 'k: ab\n   cd\n\n\n   ef X\n'],
    ['single quotes', "k: 'it''s X'\n"],
    ['single quotes over lines', "k: 'it''s  \n\n   so'' X'\n"],
    ['double quotes', 'k: "a\\tb\\x41\\u00e9\\U0001F600 X"\n'],
    ['double quotes over lines', 'k: "a  \n   b\\\n   \\  c\n\n  X"\n'],
    ['a literal block', 'k: |\n  one\n    two X\n'],
    ['a literal block with a comment and blank lines before', 'k: |- # note\n\n\n  one\n\n  X\n'],
    ['a literal block with an explicit indentation', 'k: |2\n    one\n  X\n'],
    ['a folded block', 'k: >\n  one\n  two\n\n  three\n    more\n   X\n\n  last\n'],
    ['a tagged scalar', 'k: !!str 12 X\n'],
    ['a scalar with an anchor', 'k: &a 12 X\n'],
  ];
  for (const [style, yaml] of places) {
    test(`in ${style}`, () => {
      expect(offsetOfX(yaml)).toBe(yaml.indexOf('X'));
    });
  }

  test('past the last character is the end of the value', () => {
    const end = (yaml: string) => {
      const scalar = scalarIn(yaml);
      return scalar && sourceOffsets(scalar)(String(scalar.source).length);
    };
    expect(end('k: abc # comment\n')).toBe(6);
    expect(end("k: 'abc'\n")).toBe(7);
    expect(end('k: |\n  abc\n')).toBe(10);
    expect(end('k: ""\n')).toBe(4);
  });
});

/** Every character that is neither an escape, a quote nor a folded break must be itself at the place that is told for it. */
function expectTraced(yaml: string, scalar: Scalar): void {
  const text = String(scalar.source);
  const escapes = scalar.type === 'QUOTE_DOUBLE';
  const offsetOf = sourceOffsets(scalar);
  let before = -1;
  for (let i = 0; i < text.length; i++) {
    const offset = offsetOf(i);
    const there = yaml[offset];
    const isBreak = there === '\n' || (/[ \n]/.test(text[i] ?? '') && /\s/.test(there ?? '\n'));
    const isEscape = escapes && there === '\\';
    if (there !== text[i] && !isBreak && !isEscape) {
      throw new Error(
        `character ${i} of ${JSON.stringify(text)} is not at ${offset} of ${JSON.stringify(yaml)}`,
      );
    }
    expect(offset).toBeGreaterThanOrEqual(before);
    before = offset;
  }
}

/** NOTE: A trace that fails falls back to the start of the scalar; only for a value of one character is that no failure. */
function fellBack(scalar: Scalar): boolean {
  return (
    String(scalar.source).trim().length > 2 &&
    sourceOffsets(scalar)(String(scalar.source).length) === scalar.range?.[0]
  );
}

const character = fc.constantFrom(...'ab X\n\n  \t\'"\\#:-|>é'.split(''), '😀', '\\n', '\\x41', "''");
const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''));

describe('against the parser', () => {
  const styles = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;

  test('any value, written by the library in any style and folded anywhere, is found character by character', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...styles),
        fc.integer({ min: 8, max: 40 }),
        (value, type, lineWidth) => {
          const written = new Scalar(value);
          written.type = type;
          const yaml = new Document({ k: written }).toString({ lineWidth, minContentWidth: 0 });
          const scalar = scalarIn(yaml);
          fc.pre(scalar !== undefined && scalar.source !== undefined);
          expect(fellBack(scalar as Scalar)).toBe(false);
          expectTraced(yaml, scalar as Scalar);
        },
      ),
      { numRuns: 1_500 },
    );
  }, 30_000);

  test('any raw text that the library takes for a scalar is found character by character', () => {
    const wrap = fc.constantFrom(
      (raw: string) => `k: ${raw.replaceAll('\n', '\n ')}`,
      (raw: string) => `k: "${raw.replaceAll('"', '').replaceAll('\n', '\n ')}"`,
      (raw: string) => `k: '${raw.replaceAll('\n', '\n ')}'`,
      (raw: string) => `k: |+\n  ${raw.replaceAll('\n', '\n  ')}`,
      (raw: string) => `k: >1-\n ${raw.replaceAll('\n', '\n ')}`,
      (raw: string) => `k: >\n  a${raw.replaceAll('\n', '\n  ')}\n# end`,
    );
    fc.assert(
      fc.property(text, wrap, (raw, around) => {
        const yaml = around(raw);
        const scalar = scalarIn(yaml);
        fc.pre(scalar !== undefined);
        expect(fellBack(scalar as Scalar)).toBe(false);
        expectTraced(yaml, scalar as Scalar);
      }),
      { numRuns: 2_000 },
    );
  }, 30_000);
});
