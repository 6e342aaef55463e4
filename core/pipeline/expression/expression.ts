import type { ValueReference } from '../reference/reference.ts';

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * A parsed condition (decision 42, references and conditions).
 *
 *   or         = and { "||" and }
 *   and        = comparison { "&&" comparison }
 *   comparison = unary [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) unary ]
 *   unary      = "!" unary | "(" or ")" | literal | reference
 *   literal    = number | "text" | 'text' | true | false | null
 *
 * Comparisons cannot be chained: `a < b < c` is refused, because people and machines read it differently.
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
  /** Operands are stored in one list, so a thousand operands are no deeper than two. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] };

/** Why a text is not a condition, and where. The offset is in UTF-16 code units. */
export interface ExpressionProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly offset: number;
}
