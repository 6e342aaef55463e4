import { describe, expect, test } from 'bun:test';
import { isScalar, parseDocument, type Scalar } from 'yaml';
import { sourceOffset } from './source-position.ts';

const OPTIONS = { schema: 'core' } as const;

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
  return sourceOffset(scalar, yaml, String(scalar.source).indexOf('X'));
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
      return scalar && sourceOffset(scalar, yaml, String(scalar.source).length);
    };
    expect(end('k: abc # comment\n')).toBe(6);
    expect(end("k: 'abc'\n")).toBe(7);
    expect(end('k: |\n  abc\n')).toBe(10);
    expect(end('k: ""\n')).toBe(3);
  });
});
