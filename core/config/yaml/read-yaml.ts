import { isScalar, type Node } from 'yaml';
import type { Path, ValidationIssue } from '../validation-issue.ts';
import { placeFinder, startOf } from './node-at.ts';
import { type PlainProblem, plainDocument } from './plain-value.ts';
import { unreadableCharacter } from './readable-text.ts';
import { sourceOffset } from './source-position.ts';
import { parseSyntax } from './syntax.ts';
import type { TextPosition } from './text-position.ts';

/** A YAML document as plain values that still know where they were written. */
export interface YamlDocument {
  readonly value: unknown;
  /** What is wrong whatever the document is meant to be: keys that stand twice, aliases that name nothing. */
  readonly problems: readonly PlainProblem[];
  /** The offset in the text of what a finding is about. */
  readonly offsetOf: (finding: ValidationIssue) => number;
  /** A scalar as it was written, without its quotes: `1.10` stays so, though its value is a number. */
  readonly textAt: (path: Path) => string | undefined;
}

export type ReadYaml =
  | { readonly kind: 'document'; readonly document: YamlDocument }
  | { readonly kind: 'problems'; readonly problems: readonly PlainProblem[] };

/** Reads one YAML 1.2 document from a text whose line ends are line feeds. */
export function readYaml(text: string, positionOf: (offset: number) => TextPosition): ReadYaml {
  const unreadable = unreadableCharacter(text);
  if (unreadable) return { kind: 'problems', problems: [{ ...unreadable, path: [] }] };
  const syntax = parseSyntax(text, positionOf);
  if (syntax.kind === 'problems') {
    return { kind: 'problems', problems: syntax.problems.map((problem) => ({ ...problem, path: [] })) };
  }
  const { value, problems, aliases, exploded } = plainDocument(syntax.root, positionOf);
  if (exploded) return { kind: 'problems', problems };
  return { kind: 'document', document: { value, problems, ...places(text, syntax.root, aliases) } };
}

function places(
  file: string,
  root: Node | null,
  aliases: ReadonlyMap<Node, Node>,
): Pick<YamlDocument, 'offsetOf' | 'textAt'> {
  if (!root) return { offsetOf: () => 0, textAt: () => undefined };
  const placeOf = placeFinder(root, aliases);
  const offsetOf = ({ path, at, offset }: ValidationIssue) => {
    const { key, value } = placeOf(path);
    const target = aliases.get(value) ?? value;
    if (offset === undefined || !isScalar(target))
      return startOf(key && (at === 'key' || isEmpty(value)) ? key : value);
    return sourceOffset(target, file, offset);
  };
  const textAt = (path: Path) => {
    const { value } = placeOf(path);
    const target = aliases.get(value) ?? value;
    return isScalar(target) ? target.source : undefined;
  };
  return { offsetOf, textAt };
}

/** A value that was left out altogether: its place is white space somewhere after the key. */
function isEmpty(value: Node): boolean {
  return isScalar(value) && value.source === '' && value.type === 'PLAIN';
}
