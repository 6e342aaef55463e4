import type { Schema, Validator } from '@cfworker/json-schema';
import { LIMITS } from '../../plan/limits.ts';
import type { Argument } from '../definition.ts';

type SchemaDefinition = Readonly<Record<string, unknown>>;

/**
 * The keywords of JSON Schema (2020-12) that an argument may use (decision 67, lists and JSON values). Left out is what could
 * take long for a hostile value or a hostile schema, such as `pattern`, `$ref` and `uniqueItems`.
 */
const ANNOTATIONS = [
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
] as const;
const VALUES = ['type', 'enum', 'const', 'required', 'dependentRequired'] as const;
const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
const INNER = [
  'items',
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
] as const;
const INNER_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const INNER_MAPS = ['properties', 'dependentSchemas'] as const;
const PLAIN: ReadonlySet<string> = new Set([...ANNOTATIONS, ...VALUES]);
const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

/** Why an object is no JSON Schema that an argument may have, as a clause with the place; undefined: it is one. */
function schemaDefinitionProblem(schema: unknown, place = 'schema'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${place} is no JSON Schema: a map, true or false expected`;
  for (const [key, value] of Object.entries(schema)) {
    const problem = keywordProblem(key, value, `${place}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function keywordProblem(key: string, value: unknown, place: string): string | undefined {
  if (has(NUMBERS, key)) return isBound(key, value) ? undefined : `${place} is no number that fits it`;
  if (key === 'type') return isType(value) ? undefined : `${place}: ${[...TYPES].join(', ')} expected`;
  if (key === 'enum') return Array.isArray(value) ? undefined : `${place} is no list`;
  if (key === 'required') return isTexts(value) ? undefined : `${place} is no list of names`;
  if (key === 'dependentRequired')
    return isObject(value) && Object.values(value).every(isTexts)
      ? undefined
      : `${place} is no map of lists of names`;
  if (PLAIN.has(key)) return undefined;
  if (has(INNER, key)) return schemaDefinitionProblem(value, place);
  if (has(INNER_LISTS, key)) {
    if (!Array.isArray(value) || value.length === 0) return `${place} is no list of schemas`;
    return first(value.map((inner: unknown, index) => schemaDefinitionProblem(inner, `${place}[${index}]`)));
  }
  if (has(INNER_MAPS, key)) {
    if (!isObject(value)) return `${place} is no map of schemas`;
    return first(
      Object.entries(value).map(([name, inner]) => schemaDefinitionProblem(inner, `${place}.${name}`)),
    );
  }
  const accepted = [...VALUES, ...NUMBERS, ...INNER, ...INNER_LISTS, ...INNER_MAPS].join(', ');
  return `${place} is no keyword that svc checks; ${accepted} are`;
}

function has(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function isObject(value: unknown): value is SchemaDefinition {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isType(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every((one) => TYPES.has(one)) : TYPES.has(value);
}

function isBound(key: string, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (key === 'multipleOf') return value > 0;
  return /^(?:min|max)[A-Z]/.test(key) ? Number.isSafeInteger(value) && value >= 0 : true;
}

/** Each schema is read once, because definitions live as long as their endpoint. */
const validators = new WeakMap<SchemaDefinition, Validator>();

function validatorOf(schema: SchemaDefinition): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { $schema: _version, ...rules } = schema;
  const validator = new (jsonSchema().Validator)(rules as Schema, '2020-12', true);
  validators.set(schema, validator);
  return validator;
}

/** Why a schema cannot be that of an argument or a result, as a clause; undefined: it can. */
export function schemaLimitProblem(schema: SchemaDefinition): string | undefined {
  const most = LIMITS.jsonSchemaChars;
  return JSON.stringify(schema).length > most
    ? `the schema has more than ${most} characters as JSON`
    : (schemaDefinitionProblem(schema) ?? readingProblem(schema));
}

/** The validator follows `$id` in annotations too, and throws for one that it cannot resolve. */
function readingProblem(schema: SchemaDefinition): string | undefined {
  try {
    validatorOf(schema);
    return undefined;
  } catch {
    return 'the schema cannot be read as JSON Schema: its annotations have no $id';
  }
}

/** Why a schema cannot be that of a transform's result, as a clause; undefined: it can. */
export function resultSchemaProblem(schema: SchemaDefinition): string | undefined {
  if (schema.type !== 'object')
    return 'schema.type: object expected, because a result is an object with names';
  return schemaLimitProblem(schema);
}

/**
 * Why a JSON text does not match the schema of its argument, as a clause; undefined: it does. The text must be JSON. The clause
 * names the place and the rule; a part of the value is in it only as the name of a property, and for a secret argument nothing.
 */
export function schemaProblem({ schema, secret }: Argument, text: string): string | undefined {
  const problem = schema && mismatch(schema, JSON.parse(text));
  return problem && `the value does not match the schema${secret ? '' : problem}`;
}

/** Why the result of a transform does not match its schema, as a clause; undefined: it does. */
export function resultProblem(schema: SchemaDefinition, result: unknown): string | undefined {
  const problem = mismatch(schema, result);
  return problem === undefined ? undefined : `the result does not match the schema${problem}`;
}

/** The place and the rule of the last mismatch, to be put behind a clause; undefined: the value matches. */
function mismatch(schema: SchemaDefinition, value: unknown): string | undefined {
  const { valid, errors } = validatorOf(schema).validate(value);
  if (valid) return undefined;
  const last = errors.at(-1);
  const place = last?.instanceLocation.replace(/^#/, '') ?? '';
  const rule = last === undefined ? '' : `: ${last.error.slice(0, 300)}`;
  return `${place === '' ? '' : ` at ${place.slice(0, 200)}`}${rule}`;
}

/** The validator. It is loaded with the first schema, because the program starts faster without it. */
function jsonSchema(): typeof import('@cfworker/json-schema') {
  return require('@cfworker/json-schema');
}
