import { type JsonValue, sameValue } from '../reference/json-value.ts';
import { resolveReference, type Scope } from '../reference/resolve-reference.ts';
import type { Comparison, Expression } from './expression.ts';

/**
 * Whether a condition is true (decision 42, references and conditions). Every condition has an answer, because the values are
 * unknown when it is saved:
 *
 * - Only `true` is true. `&&`, `||` and `!` treat any other value as false: `!{input.absent}` is true, `"yes" && true` is
 *   false.
 * - Values of different types are never equal. Lists and objects are equal if their contents are.
 * - Numbers are compared with numbers, texts with texts by UTF-16 code unit. `<`, `<=`, `>` and `>=` of other values,
 *   including null, are false in both directions.
 */
export function isTrue(expression: Expression, scope: Scope): boolean {
  return evaluate(expression, scope) === true;
}

/** The value of an expression or of a part of it. */
export function evaluate(expression: Expression, scope: Scope): JsonValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return resolveReference(expression.reference, scope);
    case 'not':
      return !isTrue(expression.operand, scope);
    case 'and':
      return expression.operands.every((operand) => isTrue(operand, scope));
    case 'or':
      return expression.operands.some((operand) => isTrue(operand, scope));
    case 'compare':
      return compares(
        expression.operator,
        evaluate(expression.left, scope),
        evaluate(expression.right, scope),
      );
  }
}

function compares(operator: Comparison, left: JsonValue, right: JsonValue): boolean {
  if (operator === '==') return sameValue(left, right);
  if (operator === '!=') return !sameValue(left, right);
  if (typeof left === 'number' && typeof right === 'number') return isOrdered(operator, left, right);
  if (typeof left === 'string' && typeof right === 'string') return isOrdered(operator, left, right);
  return false;
}

function isOrdered<T extends number | string>(operator: '<' | '<=' | '>' | '>=', left: T, right: T): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}
