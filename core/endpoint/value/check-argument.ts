import { isArgumentName } from '../argument-name.ts';
import type { Argument, ArgumentType, DeclaredArgument } from '../definition.ts';
import { parsePattern } from '../pattern/pattern.ts';
import { checkValue } from './check-value.ts';

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

function choiceProblems({ type, choices }: DeclaredArgument): DefinitionProblem[] {
  if (type !== 'enum') {
    return choices === undefined
      ? []
      : [{ key: 'choices', message: `choices need "type: enum"${not(type)}` }];
  }
  if (choices === undefined || choices.length === 0) {
    return [{ key: 'type', message: '"type: enum" needs choices: a list of the accepted values' }];
  }
  const twice = choices.find((choice, index) => choices.indexOf(choice) !== index);
  return twice === undefined ? [] : [{ key: 'choices', message: `"${twice}" is listed twice` }];
}

/** The keys that belong to one type and mean nothing beside another. */
const KEYS_OF_TYPES = { root: 'path', schemes: 'url', hosts: 'url' } as const;

function keyProblems(argument: DeclaredArgument): DefinitionProblem[] {
  const keys = Object.keys(KEYS_OF_TYPES) as (keyof typeof KEYS_OF_TYPES)[];
  return keys
    .filter((key) => argument[key] !== undefined && argument.type !== KEYS_OF_TYPES[key])
    .map((key) => ({ key, message: `${key} needs "type: ${KEYS_OF_TYPES[key]}"${not(argument.type)}` }));
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
