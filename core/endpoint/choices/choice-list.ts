import { LIMITS } from '../../plan/limits.ts';
import type { Argument } from '../definition.ts';
import { checkValue } from '../value/check-value.ts';
import { itemArgument, listItems } from '../value/list.ts';

/** One value of a list that a command printed. */
export interface Choice {
  readonly value: string;
  /** The text that people read instead of the value. */
  readonly label?: string;
}

/**
 * The list in the output of an endpoint (decision 69, choices from an endpoint): JSON of strings, numbers and `{value, label}`
 * where the output begins with `[`, else its lines. A value counts once; empty lines are left out.
 */
export function readChoices(
  output: string,
):
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  | { readonly kind: 'problem'; readonly problem: string } {
  const text = output.trim();
  const read = text.startsWith('[') ? jsonChoices(text) : lineChoices(text);
  if (read === undefined)
    return problem(
      'its output begins with "[" and is no JSON list of texts, numbers or {"value": …, "label": …}',
    );
  const choices = [...new Map(read.map((choice) => [choice.value, choice])).values()];
  if (choices.length > LIMITS.listedChoices)
    return problem(`it printed ${choices.length} values; at most ${LIMITS.listedChoices} are read`);
  return { kind: 'choices', choices };
}

function problem(text: string) {
  return { kind: 'problem', problem: text } as const;
}

function lineChoices(text: string): readonly Choice[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '')
    .map((value) => ({ value }));
}

function jsonChoices(text: string): readonly Choice[] | undefined {
  const items = parsed(text);
  if (!Array.isArray(items)) return undefined;
  const choices = items.map(choiceOf);
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function choiceOf(item: unknown): Choice | undefined {
  if (typeof item === 'string') return { value: item };
  if (typeof item === 'number' || typeof item === 'boolean') return { value: String(item) };
  if (typeof item !== 'object' || item === null || !('value' in item)) return undefined;
  const inner = choiceOf(item.value);
  if (inner === undefined) return undefined;
  return 'label' in item && typeof item.label === 'string' ? { ...inner, label: item.label } : inner;
}

/** The choices that the type of the argument accepts; a caller could not send the others. */
export function acceptedChoices(argument: Argument, choices: readonly Choice[]): readonly Choice[] {
  const one = argument.type === 'list' ? itemArgument(argument) : argument;
  return choices.filter(({ value }) => checkValue(one, value) === undefined);
}

/** The choices whose value or label contains the text, ignoring case. */
export function searchChoices(choices: readonly Choice[], search: string): readonly Choice[] {
  const wanted = search.toLowerCase();
  if (wanted === '') return choices;
  return choices.filter(({ value, label = '' }) =>
    [value, label].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** The part of a value that is not in the list: an item of a list, or the value itself. Undefined: all is in it. */
export function missingChoice(
  argument: Argument,
  value: string,
  choices: readonly Choice[],
): string | undefined {
  const known = new Set(choices.map((choice) => choice.value));
  const parts = argument.type === 'list' ? listItems(value) : [value];
  return parts.find((part) => !known.has(part));
}

/** Why a value is refused that its list does not have, as a clause that follows the argument's name. */
export function notListed({ secret, choicesFrom = '' }: Argument, part: string): string {
  const shown = secret ? 'the value' : JSON.stringify(part.length > 40 ? `${part.slice(0, 40)}…` : part);
  return `${shown} is not in the list that "${choicesFrom}" gives now`;
}
