import type { ValueReference } from '../reference/reference.ts';

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * A condition that was read (decision 42).
 *
 *   or         = and { "||" and }
 *   and        = comparison { "&&" comparison }
 *   comparison = unary [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) unary ]
 *   unary      = "!" unary | "(" or ")" | literal | reference
 *   literal    = number | "text" | 'text' | true | false | null
 *
 * A comparison is not compared again: `a < b < c` is refused, because people mean something else by it than machines do.
 */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'reference'; readonly reference: ValueReference; readonly offset: number }
  | { readonly kind: 'not'; readonly operand: Expression }
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** As flat as it is written, so that a thousand operands are no deeper than two. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] };

/** Why a text is no condition, and where; the offset is in UTF-16 code units. */
export interface ExpressionProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly offset: number;
}
