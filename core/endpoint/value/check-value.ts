import { LIMITS } from '../../plan/limits.ts';
import type { Argument } from '../definition.ts';

import { matchesWhole, type Pattern, parsePattern } from '../pattern/pattern.ts';
import { itemArgument, listText, readList } from './list.ts';
import { typeProblem } from './type/type-problem.ts';
import { readUrl } from './type/url.ts';
import { utf8Length } from './utf8-length.ts';

/**
 * Why a value is not accepted, as a clause that follows the argument's name; undefined: it is accepted (decision 8, leading
 * dash and sizes of values, and decision 9, values of a call). A leading dash is not checked here, because it depends on
 * the place in the command (`dashProblems`).
 *
 * The definition must have passed `checkArgumentDefinition`. The clause never repeats the value of a secret argument.
 */
export function checkValue(argument: Argument, value: string): string | undefined {
  if (value.includes('\0')) return 'a NUL character cannot be passed to a command';
  if (!value.isWellFormed()) return 'half of a surrogate pair is no character';
  if (utf8Length(value) > LIMITS.valueBytes) return `the value is longer than ${LIMITS.valueBytes} bytes`;
  if (argument.type === 'list') return listProblem(argument, value);
  // The type is checked before the length: for a word where a number is expected, the length does not matter.
  const problem = typeProblem(argument, value, show(argument, value));
  if (problem !== undefined) return problem;
  const passed = passedValue(argument, value);
  return lengthProblem(argument, passed) ?? patternProblem(argument, passed);
}

/** Why a value is no list that the argument accepts. The first item that is not accepted counts. */
function listProblem(argument: Argument, value: string): string | undefined {
  const read = readList(value);
  if ('problem' in read) return read.problem;
  const { items } = read;
  const max = argument.maxItems ?? LIMITS.defaultListItems;
  if (items.length === 0) return 'a list has at least one item; leave the argument out for none';
  if (items.length > max) return `${items.length} items are too many: at most ${max} are accepted`;
  if (utf8Length(listText(items)) > LIMITS.valueBytes)
    return `the list is longer than ${LIMITS.valueBytes} bytes as JSON text`;
  const item = itemArgument(argument);
  for (const [index, text] of items.entries()) {
    const problem = checkValue(item, text);
    if (problem !== undefined) return `item ${index + 1}: ${problem}`;
  }
  return undefined;
}

/**
 * The text that the command gets for an accepted value: a URL in its normalised form, a list as the JSON text of its items as
 * they are passed, any other value unchanged.
 */
export function passedValue(argument: Argument, value: string): string {
  if (argument.type === 'list') {
    const read = readList(value);
    const item = itemArgument(argument);
    return 'items' in read ? listText(read.items.map((text) => passedValue(item, text))) : value;
  }
  if (argument.type !== 'url') return value;
  const read = readUrl(value, argument);
  return read.kind === 'url' ? read.href : value;
}

function lengthProblem(argument: Argument, value: string): string | undefined {
  if (argument.maxLength === undefined || value.length <= argument.maxLength) return undefined;
  const length = Array.from(value).length;
  if (length <= argument.maxLength) return undefined;
  return `${length} characters are too many: at most ${argument.maxLength} are accepted`;
}

function patternProblem(argument: Argument, value: string): string | undefined {
  if (argument.pattern === undefined || matchesWhole(patternOf(argument), value)) return undefined;
  return `${show(argument, value)} does not match ${argument.pattern} as a whole`;
}

/** Each pattern is compiled once, because definitions live as long as their endpoint and are used by many calls. */
const compiled = new WeakMap<Argument, Pattern>();

function patternOf(argument: Argument): Pattern {
  const known = compiled.get(argument);
  if (known !== undefined) return known;
  const pattern = parsePattern(argument.pattern ?? '');
  if (pattern.kind === 'problem')
    throw new Error(`unchecked pattern ${argument.pattern}: ${pattern.message}`);
  compiled.set(argument, pattern);
  return pattern;
}

const SHOWN_CHARACTERS = 40;

function show(argument: Argument, value: string): string {
  if (argument.secret) return 'the value';
  const characters = Array.from(value);
  const cut = characters.length > SHOWN_CHARACTERS;
  return JSON.stringify(cut ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…` : value);
}
