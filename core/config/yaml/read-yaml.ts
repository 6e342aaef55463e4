import { isScalar, type Node } from 'yaml';
import type { Path, ValidationIssue } from '../validation-issue.ts';
import { placeFinder, startOf } from './node-at.ts';
import { type PlainProblem, plainDocument } from './plain-value.ts';
import { unreadableCharacter } from './readable-text.ts';
import { sourceOffset } from './source-position.ts';
import { parseSyntax } from './syntax.ts';
import type { TextPosition } from './text-position.ts';

/** A YAML document as plain values, with the places where they were written. */
export interface YamlDocument {
  readonly value: unknown;
  /** Mistakes that do not depend on the meaning of the document, such as repeated keys and aliases without an anchor. */
  readonly problems: readonly PlainProblem[];
  /** The offset in the text of a problem. */
  readonly offsetOf: (problem: ValidationIssue) => number;
  /** A scalar as written, without its quotes: `1.10` stays `1.10`, although its value is a number. */
  readonly textAt: (path: Path) => string | undefined;
}

export type ReadYaml =
  | { readonly kind: 'document'; readonly document: YamlDocument }
  | { readonly kind: 'problems'; readonly problems: readonly PlainProblem[] };

/** Reads one YAML 1.2 document. The lines of the text end in line feeds. */
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

/** A missing value has no text of its own: its position is in the white space after the key. */
function isEmpty(value: Node): boolean {
  return isScalar(value) && value.source === '' && value.type === 'PLAIN';
}
