import { refuse } from '../../refusal.ts';
import { type ArgumentProblem, refuseArguments } from './argument-problem.ts';

/** The sources of a call's values. `body` is the parsed JSON body; undefined without one. */
export interface ValueSources {
  readonly query: Iterable<readonly [string, string]>;
  readonly body: unknown;
}

/**
 * The values of a call as text, from query and body together (decision 9, values of a call).
 *
 * Refuses with `invalid_json` a body that is not an object, and with `invalid_argument` a name that is given twice and a
 * value without one text form.
 */
export function collectValues(sources: ValueSources): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  const given = new Set<string>();
  for (const [name, value] of [...sources.query, ...bodyEntries(sources.body)]) {
    const read = given.has(name) ? { problem: 'it is given twice; give it once' } : valueText(value);
    given.add(name);
    if ('problem' in read) problems.push({ argument: name, message: read.problem });
    else values.set(name, read.text);
  }
  if (problems.length > 0) throw refuseArguments(problems);
  return values;
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

function valueText(value: unknown): { text: string } | { problem: string } {
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'boolean') return { text: String(value) };
  if (typeof value === 'number') return numberText(value);
  return { problem: `a string, a number or a boolean is expected, not ${jsonKind(value)}` };
}

/** Refuses a number that the JSON reader could not keep exactly, instead of rounding it. */
function numberText(value: number): { text: string } | { problem: string } {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (isExact) return { text: JSON.stringify(value) };
  return { problem: 'the number is too large to be exact; send it as a string' };
}

function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : 'an object';
}
