import { type JsonObject, type JsonValue, jsonField } from './json-value.ts';
import type { ValueReference } from './reference.ts';
import { TRIGGER_FACTS } from './trigger-facts.ts';

/** The results of an ended step. `data` exists only if the endpoint has a transformer. */
export interface StepResult {
  readonly exitCode?: number;
  readonly output?: string;
  readonly data?: JsonValue;
  /** The id of the execution whose artifacts later steps use. */
  readonly execution?: string;
}

/** The source of values for references: the input of the run and the results of its steps. */
export interface Scope {
  readonly input: JsonObject;
  readonly resultOf: (step: string) => StepResult | undefined;
}

/** The value of a reference; null if it does not exist (decision 42, references and conditions). */
export function resolveReference(reference: ValueReference, scope: Scope): JsonValue {
  if (reference.from === 'input') return inside(scope.input, reference.path);
  if (reference.from === 'trigger') return inside(scope.input, [TRIGGER_FACTS, reference.field]);
  const result = scope.resultOf(reference.step);
  switch (reference.field) {
    case 'output':
      return result?.output === undefined ? null : withoutFinalNewline(result.output);
    case 'exit_code':
      return result?.exitCode ?? null;
    case 'data':
      return inside(result?.data ?? null, reference.path);
    // A file is no value. It goes to an argument of its own kind (`stepFile`).
    case 'artifacts':
      return null;
  }
}

function inside(value: JsonValue, path: readonly string[]): JsonValue {
  return path.reduce(jsonField, value);
}

/**
 * Removes a final newline as `$( )` of a shell does, but only one. Programs end their last line with it, and an argument
 * should not contain it.
 */
function withoutFinalNewline(output: string): string {
  return output.replace(/\r?\n$/, '');
}
