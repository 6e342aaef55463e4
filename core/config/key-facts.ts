/** The parts of a JSON Schema that describe a key of svc.yaml. */
export interface KeySchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: string | number | boolean | object;
  readonly const?: number | string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: KeySchema;
  readonly anyOf?: readonly KeySchema[];
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: KeySchema | boolean;
}

/** A key of svc.yaml in words for people. */
export interface ConfigKey {
  /** The names from the root on, such as `endpoints.args.type`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Undefined: there is no default, or it is a list or a map. */
  readonly defaultValue: string | undefined;
  readonly description: string;
}

/** All keys below a schema, in the order of the schema, each followed by the keys below it. */
export function configKeys(schema: KeySchema, path = ''): ConfigKey[] {
  const inner = [schema, schema.items, ...(schema.anyOf ?? []), ...(schema.items?.anyOf ?? [])];
  const keys = inner.flatMap((one) =>
    Object.entries(one?.properties ?? {}).map(([name, value]) => ({
      name,
      value,
      isRequired: one?.required?.includes(name) === true,
    })),
  );
  const found = new Map<string, ConfigKey>();
  for (const { name, value, isRequired } of keys) {
    const place = path === '' ? name : `${path}.${name}`;
    for (const key of [factsOf(place, value, isRequired), ...configKeys(value, place)])
      if (!found.has(key.path)) found.set(key.path, key);
  }
  return [...found.values()];
}

function factsOf(path: string, schema: KeySchema, isRequired: boolean): ConfigKey {
  return {
    path,
    type: keyType(schema),
    isRequired,
    defaultValue: keyDefault(schema),
    description: schema.description ?? '',
  };
}

/** The default as text; undefined: none, or a list or a map. */
export function keyDefault({ default: value }: KeySchema): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** The values that a key takes, in words. Literal values stand in backquotes. */
export function keyType(schema: KeySchema): string {
  const { type, items, anyOf, additionalProperties, minimum, maximum } = schema;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (items) return `list of ${plural(keyType(items))}`;
  if (anyOf) return [...new Set(anyOf.map(keyType))].join(' or ');
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0)
    return 'map';
  if (typeof additionalProperties === 'object') return `map of ${plural(keyType(additionalProperties))}`;
  if (type === 'integer') return `integer, ${minimum} to ${maximum}`;
  if (type === 'object') return 'map';
  return Array.isArray(type) ? 'text, number or boolean' : type === 'string' ? 'text' : String(type);
}

function plural(type: string): string {
  if (type.startsWith('text, number')) return 'texts, numbers or booleans';
  return type.replace(/\b(?:text|map)\b/g, '$&s');
}
