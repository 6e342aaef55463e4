import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { Path } from '../validation-issue.ts';
import { keyText, startOf } from './node-at.ts';
import type { UnreadableText } from './readable-text.ts';
import type { TextPosition } from './text-position.ts';

/** The limit of values that aliases stand for; no config has as many. It is checked before the values are created. */
const MAX_ALIASED_VALUES = 100_000;

export interface PlainProblem extends UnreadableText {
  readonly path: Path;
}

/** A YAML document as plain JavaScript values, with the mistakes that are wrong in every config. */
export interface PlainDocument {
  readonly value: unknown;
  readonly problems: readonly PlainProblem[];
  /** The node that each alias stands for. */
  readonly aliases: ReadonlyMap<Node, Node>;
  /** Its aliases stand for too many values, so it was not read. */
  readonly exploded: boolean;
}

/** A value, and the number of values in it, including itself and the values that aliases repeat. */
interface Counted {
  readonly value: unknown;
  readonly count: number;
}

interface Anchor {
  readonly node: Node;
  /** Absent while the anchored value is being read. An alias that is read then is inside its own value. */
  content?: Counted;
}

const NOTHING: Counted = { value: null, count: 1 };

/** Converts the nodes of a document to plain values. An alias shares the value of its anchor. */
export function plainDocument(
  root: Node | null,
  positionOf: (offset: number) => TextPosition,
): PlainDocument {
  const reader = new Reader(positionOf);
  const { value } = root ? reader.read(root, []) : NOTHING;
  const { problems, aliases, exploded } = reader;
  return { value, problems, aliases, exploded };
}

class Reader {
  readonly problems: PlainProblem[] = [];
  readonly aliases = new Map<Node, Node>();
  readonly #anchors = new Map<string, Anchor>();
  readonly #positionOf: (offset: number) => TextPosition;
  #aliasedValues = 0;

  constructor(positionOf: (offset: number) => TextPosition) {
    this.#positionOf = positionOf;
  }

  get exploded(): boolean {
    return this.#aliasedValues > MAX_ALIASED_VALUES;
  }

  read(node: Node, path: Path): Counted {
    if (isAlias(node)) return this.#alias(node, path);
    const anchor: Anchor = { node };
    if (node.anchor) this.#anchors.set(node.anchor, anchor);
    anchor.content = this.#content(node, path);
    return anchor.content;
  }

  #content(node: Node, path: Path): Counted {
    if (isMap(node)) return this.#map(node, path);
    if (isScalar(node)) return this.#scalar(node, path);
    if (!isSeq(node)) return NOTHING;
    const items = node.items.map((item, index) => this.read(item as Node, [...path, index]));
    return { value: items.map(({ value }) => value), count: total(items) };
  }

  #map(map: YAMLMap, path: Path): Counted {
    const keys = new Map<string, Node>();
    const contents: Counted[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const key = this.#key(pair.key, map, path);
      if (key === undefined) continue;
      const content = pair.value ? this.read(pair.value, [...path, key]) : NOTHING;
      const first = keys.get(key);
      if (first) {
        const { line } = this.#positionOf(startOf(first));
        this.#report(pair.key, [...path, key], `key "${key}" stands twice; first in line ${line}`);
      } else {
        keys.set(key, pair.key);
        contents.push(content);
      }
    }
    const value = Object.fromEntries([...keys.keys()].map((key, index) => [key, contents[index]?.value]));
    return { value, count: total(contents) };
  }

  /** The text of a key as written; undefined for a key that no config has. */
  #key(key: Node, map: YAMLMap, path: Path): string | undefined {
    this.read(key, path);
    const text = keyText(key);
    if (text === undefined) {
      const fix = 'a value that begins with "{" or "[" needs quotes';
      this.#report(map, path, `a key is text, and here it is something else; ${fix}`);
    } else if (text === '<<' && (key as Scalar).type === 'PLAIN') {
      this.#report(key, [...path, text], 'merge keys are not part of YAML 1.2; write the keys out');
    } else if (text === '' || text === '__proto__') {
      this.#report(key, [...path, text], `"${text}" cannot be a key`);
    } else {
      return text;
    }
    return undefined;
  }

  #scalar(scalar: Scalar, path: Path): Counted {
    const { value } = scalar;
    if (typeof value === 'string' && /\0|[\uD800-\uDFFF]/u.test(value))
      this.#report(
        scalar,
        path,
        'text holds a NUL or half of a surrogate pair, which no command can be given',
      );
    return { value, count: 1 };
  }

  #alias(alias: Node & { source: string }, path: Path): Counted {
    const anchor = this.#anchors.get(alias.source);
    if (!anchor) {
      const fix = 'put a value that begins with "*" in quotes';
      this.#report(alias, path, `alias "*${alias.source}" names no anchor before it; ${fix}`);
      return NOTHING;
    }
    if (!anchor.content) {
      this.#report(alias, path, `alias "*${alias.source}" stands inside the value that it names`);
      return NOTHING;
    }
    const explodedBefore = this.exploded;
    this.#aliasedValues += anchor.content.count;
    if (this.exploded && !explodedBefore) {
      this.#report(alias, path, `aliases stand for more than ${MAX_ALIASED_VALUES} values`);
    }
    this.aliases.set(alias, anchor.node);
    return anchor.content;
  }

  #report(node: Node, path: Path, message: string): void {
    this.problems.push({ offset: startOf(node), message, path });
  }
}

function total(contents: readonly Counted[]): number {
  return contents.reduce((sum, { count }) => sum + count, 1);
}
