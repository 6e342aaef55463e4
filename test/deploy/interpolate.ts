/** Text in which Compose fills in variables: `${NAME}`, `${NAME:-default}`, `${NAME:?what it is}`. */
const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?:(:[-?])([^}]*))?\}/g;

export type Variables = Readonly<Record<string, string>>;

/** A value of a Compose file with the variables of its environment in it; refuses one that has to be there and is not. */
export function interpolate(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return filledIn(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, interpolate(inner, variables)]),
  );
}

/** The names of all variables in it. */
export function variablesIn(text: string): Set<string> {
  return new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name));
}

function filledIn(text: string, variables: Variables): string {
  return text.replaceAll(VARIABLE, (_, name: string, operator?: string, word = '') => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (operator === ':?') throw new Error(`${name} is not set: ${word}`);
    return word;
  });
}
