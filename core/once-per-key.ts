/** A `load` that runs once for each key. It keeps every value, so make one for each request. */
export function oncePerKey<Arguments extends unknown[], Value>(
  keyOf: (...of: Arguments) => string,
  load: (...of: Arguments) => Value,
): (...of: Arguments) => Value {
  const loaded = new Map<string, Value>();
  return (...of) => {
    const key = keyOf(...of);
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const value = load(...of);
    loaded.set(key, value);
    return value;
  };
}
