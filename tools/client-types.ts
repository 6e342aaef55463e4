// Types of the two clients, made from the OpenAPI document: TypeScript for clients/typescript, Python for clients/python.
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}
export type Schemas = Readonly<Record<string, Schema>>;

/** The schemas of calls and executions. Those that they refer to are added. */
const WANTED = [
  'AcceptedExecution',
  'AcceptedRun',
  'CallResult',
  'Callable',
  'ExecutionEvent',
  'ExecutionWithResult',
  'PendingCall',
  'ListedExecution',
  'RunResult',
];
const NOTE = 'Made from the OpenAPI document by `npm run docs`: do not edit.';

/** The file of types of the TypeScript client, unformatted. */
export function typescriptTypes(schemas: Schemas): string {
  const types = reachable(schemas).map(([name, schema]) => {
    const parts = schema.oneOf ?? schema.anyOf;
    // A union of objects keeps its parts apart, so that `switch (event.type)` narrows it.
    return `${comment(schema)}export type ${name} = ${parts === undefined ? typescriptOf(schema) : parts.map(typescriptOf).join(' | ')};`;
  });
  return `// ${NOTE}\n\n${types.join('\n\n')}\n`;
}

function typescriptOf(schema: Schema): string {
  const { $ref, enum: values, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts !== undefined) return `(${parts.map(typescriptOf).join(' | ')})`;
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typescriptOf({ ...schema, type })).join(' | ');
  if (items !== undefined) return `readonly (${typescriptOf(items)})[]`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([key, field]) => {
      const optional = schema.required?.includes(key) ? '' : '?';
      return `${comment(field)}readonly ${key}${optional}: ${typescriptOf(field)};`;
    });
    return `{\n${fields.join('\n')}\n}`;
  }
  if (typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${typescriptOf(additionalProperties)}>>`;
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[
      String(schema.type)
    ] ?? 'unknown'
  );
}

const comment = ({ description }: Schema) =>
  description === undefined ? '' : `/** ${description.replaceAll('*/', '*\u200b/')} */\n`;

/** The file of types of the Python client: a `TypedDict` for each object. */
export function pythonTypes(schemas: Schemas): string {
  const blocks: string[] = [];
  for (const [name, schema] of reachable(schemas)) {
    const parts = schema.oneOf ?? schema.anyOf;
    if (parts === undefined) {
      const type = pythonOf(schema, name, blocks);
      if (type !== name) blocks.push(`${name} = ${type}`);
    } else
      blocks.push(
        `${name} = Union[${parts.map((part) => pythonOf(part, `${eventName(part)}Event`, blocks)).join(', ')}]`,
      );
  }
  const head = `# ${NOTE}\n"""The shapes of answers and events."""\n\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n`;
  return `${head}\n\n${blocks.join('\n\n\n')}\n`;
}

/** The Python type of a schema; an object becomes a class of this name, added to the blocks. */
function pythonOf(schema: Schema, name: string, blocks: string[]): string {
  const { $ref, enum: values, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (schema.const !== undefined) return `Literal[${pythonLiteral(schema.const)}]`;
  if (values !== undefined) return `Literal[${values.map(pythonLiteral).join(', ')}]`;
  if (Array.isArray(schema.type))
    return `Union[${schema.type.map((type: string) => pythonOf({ ...schema, type }, name, blocks)).join(', ')}]`;
  if (items !== undefined) return `list[${pythonOf(items, `${name}Item`, blocks)}]`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([key, field]) => {
      const type = pythonOf(field, `${name}${capital(key)}`, blocks);
      return `    ${key}: ${schema.required?.includes(key) ? type : `NotRequired[${type}]`}`;
    });
    const about = schema.description === undefined ? '' : `    """${schema.description}"""\n\n`;
    blocks.push(`class ${name}(TypedDict):\n${about}${fields.join('\n')}`);
    return name;
  }
  if (typeof additionalProperties === 'object')
    return `dict[str, ${pythonOf(additionalProperties, `${name}Value`, blocks)}]`;
  return (
    { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[String(schema.type)] ??
    'Any'
  );
}

function eventName({ properties }: Schema): string {
  const type = properties?.type?.const;
  if (typeof type !== 'string') throw new Error('a part of a union has no type');
  return capital(type);
}

function pythonLiteral(value: unknown): string {
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
}

/** The name of the schema that a reference points to. */
export const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? '';
const capital = (text: string) =>
  text
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** The wanted schemas and those that they refer to; a schema comes after those that it names. */
function reachable(schemas: Schemas): readonly (readonly [string, Schema])[] {
  const found = new Map<string, Schema>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the OpenAPI document has no schema ${name}`);
    if (found.has(name)) return;
    for (const [, used = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      visit(used);
    found.set(name, schema);
  };
  for (const name of WANTED) visit(name);
  return [...found];
}
