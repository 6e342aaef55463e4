import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Path } from '../validation-issue.ts';

/** A value in a YAML document and, if it is in a map, the key that names it. */
export interface NodePlace {
  readonly key?: Node;
  readonly value: Node;
}

/** Makes the look-up of the place at the end of a path; where a path leads further than the document does, of the last place on it. */
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

/** A key as it was written, so that `8080:` and `true:` are text like every other; undefined for a list, a map or an alias. */
export function keyText(key: Node): string | undefined {
  return isScalar(key) && !isAlias(key) ? (key.source ?? '') : undefined;
}

/** Where a node begins in the text, past its anchor and its tag. */
export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
