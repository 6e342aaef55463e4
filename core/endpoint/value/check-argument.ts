import { isArgumentName } from '../argument-name.ts';
import type { Argument } from '../definition.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { checkValue } from './check-value.ts';

/** What is wrong with the definition of an argument; `offset` is inside the text of that key. */
export interface DefinitionProblem {
  readonly key: keyof Argument;
  readonly message: string;
  readonly offset?: number;
}

/**
 * Everything that is wrong with the definition of an argument by itself (reference 2.3, decisions 5 and 9), its default
 * included: a default obeys the same rules as a value of a call.
 */
export function checkArgumentDefinition(argument: Argument): DefinitionProblem[] {
  const problems = [...nameProblems(argument), ...choiceProblems(argument), ...boundProblems(argument)];
  if (argument.default === undefined || problems.length > 0) return problems;
  const message = checkValue(argument, argument.default);
  return message === undefined ? [] : [{ key: 'default', message }];
}

function nameProblems({ name }: Argument): DefinitionProblem[] {
  if (isArgumentName(name)) return [];
  const message = `"${name}" is no argument name: a letter or _, then up to 63 letters, digits, _ or -`;
  return [{ key: 'name', message }];
}

function choiceProblems({ type, choices }: Argument): DefinitionProblem[] {
  if (type !== 'enum') {
    return choices === undefined
      ? []
      : [{ key: 'choices', message: `choices need "type: enum", not "type: ${type}"` }];
  }
  if (choices === undefined || choices.length === 0) {
    return [{ key: 'type', message: '"type: enum" needs choices: a list of the accepted values' }];
  }
  const twice = choices.find((choice, index) => choices.indexOf(choice) !== index);
  return twice === undefined ? [] : [{ key: 'choices', message: `"${twice}" is listed twice` }];
}

function boundProblems({ maxLength, pattern }: Argument): DefinitionProblem[] {
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
