import { type JsonObject, type JsonValue, jsonField } from './json-value.ts';
import type { ValueReference } from './reference.ts';

/** What a step that has ended left behind; `data` is there only where the endpoint has a transformer. */
export interface StepResult {
  readonly exitCode?: number;
  readonly output?: string;
  readonly data?: JsonValue;
}

/** Where references are looked up: the input of the run, and what its steps left behind. */
export interface Scope {
  readonly input: JsonObject;
  readonly resultOf: (step: string) => StepResult | undefined;
}

/** The value that a reference stands for; null where there is none (decision 42). */
export function resolveReference(reference: ValueReference, scope: Scope): JsonValue {
  if (reference.from === 'input') return inside(scope.input, reference.path);
  const result = scope.resultOf(reference.step);
  switch (reference.field) {
    case 'output':
      return result?.output === undefined ? null : withoutFinalNewline(result.output);
    case 'exit_code':
      return result?.exitCode ?? null;
    case 'data':
      return inside(result?.data ?? null, reference.path);
  }
}

function inside(value: JsonValue, path: readonly string[]): JsonValue {
  return path.reduce(jsonField, value);
}

/** As `$( )` of a shell, but one newline only: programs end their last line, and nobody wants that in an argument. */
function withoutFinalNewline(output: string): string {
  return output.replace(/\r?\n$/, '');
}
