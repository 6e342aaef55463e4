import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Path } from '../validation-issue.ts';

/** A value in a YAML document, with its key if it is in a map. */
export interface NodePlace {
  readonly key?: Node;
  readonly value: Node;
}

/**
 * Returns a function that finds the node at a path. A path that the document does not have leads to its last existing node.
 */
export function placeFinder(root: Node, aliases: ReadonlyMap<Node, Node>): (path: Path) => NodePlace {
  const childrenOf = new Map<Node, ReadonlyMap<string | number, NodePlace>>();
  return (path) => {
    let place: NodePlace = { value: root };
    for (const part of path) {
      const parent = aliases.get(place.value) ?? place.value;
      const children = childrenOf.get(parent) ?? childPlaces(parent);
      childrenOf.set(parent, children);
      const next = children.get(part);
      if (!next) break;
      place = next;
    }
    return place;
  };
}

function childPlaces(parent: Node): ReadonlyMap<string | number, NodePlace> {
  const places = new Map<string | number, NodePlace>();
  if (isSeq(parent)) {
    for (const [index, item] of parent.items.entries()) places.set(index, { value: item as Node });
  }
  if (isMap(parent)) {
    for (const { key, value } of parent.items as Pair<Node, Node | null>[]) {
      const text = keyText(key);
      if (text !== undefined && !places.has(text)) places.set(text, { key, value: value ?? key });
    }
  }
  return places;
}

/** The text of a key as written, so that `8080:` and `true:` are ordinary text; undefined for a list, a map or an alias. */
export function keyText(key: Node): string | undefined {
  return isScalar(key) && !isAlias(key) ? (key.source ?? '') : undefined;
}

/** The offset at which a node begins, after its anchor and its tag. */
export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
