/** A value that JSON can express. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** A field of an object or an item of a list; null if it does not exist (decision 42, references and conditions). */
export function jsonField(value: JsonValue, name: string): JsonValue {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return null;
  return (value as JsonObject)[name] ?? null;
}

/**
 * Whether two values have the same type and content, whatever the order of keys (decision 42, references and conditions).
 *
 * It uses a list instead of recursion, because the sender decides how deeply a value is nested.
 */
export function sameValue(first: JsonValue, second: JsonValue): boolean {
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null)
    return first === second;
  const known = COMPARED.get(first)?.get(second);
  if (known !== undefined) return known;
  const isSame = compare(first, second);
  if (!COMPARED.has(first)) COMPARED.set(first, new WeakMap());
  COMPARED.get(first)?.set(second, isSame);
  return isSame;
}

/**
 * The results of comparisons. Values never change. Comparing a megabyte takes a tenth of a second, and the conditions of
 * one pipeline can contain thousands of comparisons of the same two values.
 */
const COMPARED = new WeakMap<object, WeakMap<object, boolean>>();

function compare(first: JsonValue, second: JsonValue): boolean {
  const open: [JsonValue, JsonValue][] = [[first, second]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const isSameSo = isList(a)
      ? isList(b) && compareItems(a, b, open)
      : !isList(b) && compareFields(a, b, open);
    if (!isSameSo) return false;
  }
  return true;
}

type List = readonly JsonValue[];

function isList(value: object): value is List {
  return Array.isArray(value);
}

/**
 * Returns false if the difference shows at once. Nested values are added to the open pairs, because a list may have half a
 * million items.
 */
function compareItems(a: List, b: List, open: [JsonValue, JsonValue][]): boolean {
  if (a.length !== b.length) return false;
  return a.every((item, index) => isOpenOrSame(item, b[index] ?? null, open));
}

function compareFields(a: JsonObject, b: JsonObject, open: [JsonValue, JsonValue][]): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isOpenOrSame(a[key] ?? null, b[key] ?? null, open));
}

function isOpenOrSame(a: JsonValue, b: JsonValue, open: [JsonValue, JsonValue][]): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  open.push([a, b]);
  return true;
}
