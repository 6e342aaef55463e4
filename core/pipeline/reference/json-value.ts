/** What JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** A field of an object or an item of a list; null where there is none (decision 42). */
export function fieldOf(value: JsonValue, name: string): JsonValue {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return null;
  return (value as JsonObject)[name] ?? null;
}

/**
 * Whether two values are the same: same type, same content, whatever the order of the keys (decision 42).
 *
 * With a list of its own instead of recursion: how deep a value is nested is up to whoever sent it.
 */
export function sameValue(first: JsonValue, second: JsonValue): boolean {
  const open: [JsonValue, JsonValue][] = [[first, second]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      open.push([fieldOf(a, key), fieldOf(b, key)]);
    }
  }
  return true;
}
