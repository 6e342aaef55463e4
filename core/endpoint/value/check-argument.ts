import { isArgumentName } from '../argument-name.ts';
import type { Argument, ArgumentType, DeclaredArgument } from '../definition.ts';
import { parsePattern } from '../pattern/pattern.ts';
import { checkValue } from './check-value.ts';
import { schemaLimitProblem } from './json-schema.ts';

/** A problem of an argument's definition. `offset` is inside the text of the key. */
export interface DefinitionProblem {
  readonly key: keyof Argument;
  readonly message: string;
  readonly offset?: number;
}

/**
 * All problems of an argument's definition (reference 2.3, decisions 5, 9 and 57). If the definition gives a type, its
 * default is checked like a value of a call. Otherwise `defaultProblem` checks it after the compiler chose a type.
 */
export function checkArgumentDefinition(argument: DeclaredArgument): DefinitionProblem[] {
  const problems = [
    ...nameProblems(argument),
    ...choiceProblems(argument),
    ...keyProblems(argument),
    ...schemaProblems(argument),
    ...listProblems(argument),
    ...boundProblems(argument),
  ];
  const { type } = argument;
  if (type === undefined || problems.length > 0) return problems;
  return defaultProblem({ ...argument, type, inferred: false });
}

/** The problem of the default of an argument with a known type: at most one. */
export function defaultProblem(argument: Argument): DefinitionProblem[] {
  if (argument.default === undefined) return [];
  const message = checkValue(argument, argument.default);
  return message === undefined ? [] : [{ key: 'default', message }];
}

function nameProblems({ name }: DeclaredArgument): DefinitionProblem[] {
  if (isArgumentName(name)) return [];
  const message = `"${name}" is no argument name: a letter or _, then up to 63 letters, digits, _ or -`;
  return [{ key: 'name', message }];
}

function choiceProblems({ type: declared, items, choices }: DeclaredArgument): DefinitionProblem[] {
  const type = declared === 'list' ? items : declared;
  if (type !== 'enum') {
    return choices === undefined
      ? []
      : [{ key: 'choices', message: `choices need "type: enum"${not(type)}` }];
  }
  if (choices === undefined || choices.length === 0) {
    const key = declared === 'list' ? 'items' : 'type';
    return [{ key, message: `"${key}: enum" needs choices: a list of the accepted values` }];
  }
  const twice = choices.find((choice, index) => choices.indexOf(choice) !== index);
  return twice === undefined ? [] : [{ key: 'choices', message: `"${twice}" is listed twice` }];
}

/** The keys that mean nothing without a list. */
const KEYS_OF_LISTS = ['choicesArgs', 'choicesTtlSec', 'choicesCheck'] as const;
/** The types whose values are not picked from a list. */
const UNLISTED = new Set<ArgumentType | undefined>(['enum', 'boolean', 'json', 'code', 'file']);

function listProblems(argument: DeclaredArgument): DefinitionProblem[] {
  const { choicesFrom, choices, secret, type, items } = argument;
  if (choicesFrom === undefined)
    return KEYS_OF_LISTS.filter((key) => argument[key] !== undefined).map((key) => ({
      key,
      message: `${wireName(key)} needs choices_from`,
    }));
  const found = (message: string): DefinitionProblem[] => [{ key: 'choicesFrom', message }];
  if (choices !== undefined) return found('choices_from and choices say the same twice: leave one out');
  if (secret) return found('a secret value is in no list: leave choices_from out');
  if (UNLISTED.has(type) || UNLISTED.has(items))
    return found(`choices_from does not go with "type: ${UNLISTED.has(type) ? type : items}"`);
  return [];
}

/** The keys that belong to one type and mean nothing beside another. */
const KEYS_OF_TYPES = {
  root: 'path',
  schemes: 'url',
  hosts: 'url',
  items: 'list',
  each: 'list',
  maxItems: 'list',
  schema: 'json',
  maxBytes: 'file',
  accept: 'file',
} as const;
/** The keys that say what a text may be; for a JSON value its schema says that. */
const TEXT_KEYS = ['pattern', 'maxLength'] as const;
const WIRE_NAMES = {
  maxItems: 'max_items',
  maxLength: 'max_length',
  maxBytes: 'max_bytes',
  choicesArgs: 'choices_args',
  choicesTtlSec: 'choices_ttl',
  choicesCheck: 'choices_check',
} as const;

function keyProblems(argument: DeclaredArgument): DefinitionProblem[] {
  const keys = Object.keys(KEYS_OF_TYPES) as (keyof typeof KEYS_OF_TYPES)[];
  const types = [argument.type, ...(argument.type === 'list' ? [argument.items] : [])];
  return [
    ...keys
      .filter((key) => argument[key] !== undefined && !types.includes(KEYS_OF_TYPES[key]))
      .map((key) => ({
        key,
        message: `${wireName(key)} needs "type: ${KEYS_OF_TYPES[key]}"${not(argument.type)}`,
      })),
    ...TEXT_KEYS.filter((key) => argument.type === 'json' && argument[key] !== undefined).map((key) => ({
      key,
      message: `${wireName(key)} is for texts; the schema of a JSON value says what it may be`,
    })),
    ...fileProblems(argument),
    ...secretProblems(argument),
  ];
}

/** The keys that say something of a text, which a file is not. */
const KEYS_OF_TEXTS = ['default', 'pattern', 'maxLength'] as const;

function fileProblems(argument: DeclaredArgument): DefinitionProblem[] {
  if (argument.type !== 'file') return [];
  return KEYS_OF_TEXTS.filter((key) => argument[key] !== undefined).map((key) => ({
    key,
    message: `${wireName(key)} is for texts, and "type: file" takes a file; max_bytes and accept say what it may be`,
  }));
}

function wireName(key: keyof Argument): string {
  return (WIRE_NAMES as Partial<Record<keyof Argument, string>>)[key] ?? key;
}

/** Output could show one item of a list, or one part of a JSON value, which no mask of the whole finds. */
function secretProblems({ type, secret }: DeclaredArgument): DefinitionProblem[] {
  if (!secret || (type !== 'list' && type !== 'json' && type !== 'file')) return [];
  if (type === 'file')
    return [{ key: 'secret', message: 'a file cannot be secret, because only a value is masked in output' }];
  return [
    {
      key: 'secret',
      message: `"type: ${type}" cannot be secret, because only a whole value is masked in output`,
    },
  ];
}

function schemaProblems({ schema }: DeclaredArgument): DefinitionProblem[] {
  const message = schema && schemaLimitProblem(schema);
  return message === undefined ? [] : [{ key: 'schema', message }];
}

function not(type: ArgumentType | undefined): string {
  return type === undefined ? ' beside it' : `, not "type: ${type}"`;
}

function boundProblems({ maxLength, pattern }: DeclaredArgument): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 0)) {
    problems.push({
      key: 'maxLength',
      message: `${maxLength} is no length: a whole number of characters is expected`,
    });
  }
  const parsed = pattern === undefined ? undefined : parsePattern(pattern);
  if (parsed?.kind === 'problem') {
    problems.push({ key: 'pattern', message: parsed.message, offset: parsed.offset });
  }
  return problems;
}
