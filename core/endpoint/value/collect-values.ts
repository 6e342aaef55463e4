import { JsonSource } from '../../api/json/json-source.ts';
import { refuse } from '../../refusal.ts';
import type { Argument } from '../definition.ts';
import { type ArgumentProblem, refuseArguments } from './argument-problem.ts';
import { listText } from './list.ts';

/** The sources of a call's values. `body` is the parsed JSON body; undefined without one. */
export interface ValueSources {
  readonly query: Iterable<readonly [string, string]>;
  readonly body: unknown;
}

/**
 * The values of a call as text, from query and body together (decision 9, values of a call).
 *
 * `args` are those of the endpoint: an array may be a list of it, an array or an object a JSON value, and a name that the query
 * repeats a list (decision 67, lists and JSON values). A list becomes the JSON text of its items.
 *
 * Refuses with `invalid_json` a body that is not an object, and with `invalid_argument` a name that is given twice and a
 * value without one text form.
 */
export function collectValues(
  sources: ValueSources,
  args: readonly Argument[] = [],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  const given = new Set<string>();
  const types = new Map(args.map(({ name, type }) => [name, type]));
  const query = types.values().some((type) => type === 'list')
    ? joinRepeated(sources.query, types)
    : sources.query;
  for (const [name, value] of [...query, ...bodyEntries(sources.body)]) {
    const read = given.has(name)
      ? { problem: 'it is given twice; give it once' }
      : valueText(value, types.get(name));
    given.add(name);
    if ('problem' in read) problems.push({ argument: name, message: read.problem });
    else values.set(name, read.text);
  }
  if (problems.length > 0) throw refuseArguments(problems);
  return values;
}

type Types = ReadonlyMap<string, Argument['type']>;

/** The pairs of a query, with those of one list as one pair where the list is there more than once. */
function joinRepeated(
  query: Iterable<readonly [string, string]>,
  types: Types,
): readonly (readonly [string, unknown])[] {
  const pairs = [...query];
  const lists = new Map<string, string[]>();
  for (const [name, value] of pairs)
    if (types.get(name) === 'list') lists.set(name, [...(lists.get(name) ?? []), value]);
  const repeated = [...lists].filter(([, items]) => items.length > 1);
  const names = new Set(repeated.map(([name]) => name));
  return [...pairs.filter(([name]) => !names.has(name)), ...repeated];
}

function bodyEntries(body: unknown): [string, unknown][] {
  if (body === undefined) return [];
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refuse(
      'invalid_json',
      'the body must be a JSON object of argument names and values, as in {"name": "value"}',
    );
  }
  return Object.entries(body);
}

type ValueText = { text: string } | { problem: string };

function valueText(value: unknown, type?: Argument['type']): ValueText {
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'boolean') return { text: String(value) };
  if (typeof value === 'number') return numberText(value);
  if (value !== null && type === 'json') return jsonText(value);
  if (Array.isArray(value) && type === 'list') return itemsText(value);
  if (value instanceof JsonSource && type === 'list' && value.text.startsWith('['))
    return { text: value.text };
  return { problem: `a string, a number or a boolean is expected, not ${jsonKind(value)}` };
}

/** Refuses a number that the JSON reader could not keep exactly, instead of rounding it. */
function numberText(value: number): { text: string } | { problem: string } {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (isExact) return { text: JSON.stringify(value) };
  return { problem: 'the number is too large to be exact; send it as a string' };
}

function itemsText(items: readonly unknown[]): ValueText {
  const texts: string[] = [];
  for (const [index, item] of items.entries()) {
    const read = valueText(item);
    if ('problem' in read) return { problem: `item ${index + 1}: ${read.problem}` };
    texts.push(read.text);
  }
  return { text: listText(texts) };
}

function jsonText(value: unknown): ValueText {
  return { text: value instanceof JsonSource ? value.text : JSON.stringify(value) };
}

function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  const isArray = Array.isArray(value) || (value instanceof JsonSource && value.text.startsWith('['));
  return isArray ? 'an array' : 'an object';
}
