import type { FieldProblem } from '../../api/field-problem.ts';
import type { JsonObject, JsonValue } from '../reference/json-value.ts';
import type { InputField } from './input-field.ts';

/** The input of a run, or all its problems. */
export type CheckedInput =
  | { readonly kind: 'input'; readonly input: JsonObject }
  | { readonly kind: 'problems'; readonly problems: readonly FieldProblem[] };

/**
 * Checks the JSON body of a webhook against the declared fields of the trigger (reference 2.5, decision 43, calling a
 * pipeline).
 *
 * Undeclared fields are ignored and do not become input. A null counts as an absent field, because senders mean it so.
 */
export function checkInput(fields: readonly InputField[], body: JsonValue): CheckedInput {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'problems', problems: [{ path: [], message: `an object expected, not ${kindOf(body)}` }] };
  const found = fields.map((field) => ({ field, value: valueIn(body as JsonObject, field.name) }));
  const problems = found.flatMap(({ field, value }) => {
    const message = fieldProblem(field, value);
    return message === undefined ? [] : [{ path: [field.name], message }];
  });
  if (problems.length > 0) return { kind: 'problems', problems };
  const given = found.filter(({ value }) => value !== null);
  return { kind: 'input', input: Object.fromEntries(given.map(({ field, value }) => [field.name, value])) };
}

function valueIn(body: JsonObject, name: string): JsonValue {
  return Object.hasOwn(body, name) ? (body[name] ?? null) : null;
}

function fieldProblem({ type, required }: InputField, value: JsonValue): string | undefined {
  if (value === null) return required ? `it is required: ${EXPECTED[type]} expected` : undefined;
  const found = kindOf(value);
  if (found !== EXPECTED[type]) return `${EXPECTED[type]} expected, not ${found}`;
  if (typeof value !== 'number' || isExact(value)) return undefined;
  return 'the number is too large to be exact; declare the field as a string and send it as one';
}

/** As in a call, a rounded number would reach a command as another number (decision 9, values of a call). */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

const EXPECTED = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
} as const satisfies Record<InputField['type'], string>;

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return EXPECTED.array;
  return EXPECTED[typeof value as InputField['type']];
}
