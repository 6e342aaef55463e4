/** The same port with some of its methods replaced; a store's methods need their own `this`. */
export function overriding<Port extends object>(port: Port, replaced: Partial<Port>): Port {
  /** Methods that have been asked for: each call goes through several of these. */
  const bound = new Map<string | symbol, unknown>();
  return new Proxy(port, {
    get(target, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value = (Reflect.get(replaced, name) as unknown) ?? Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method: unknown = (value as () => unknown).bind(target);
      bound.set(name, method);
      return method;
    },
  });
}
