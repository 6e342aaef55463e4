import type { CharSet } from './char-set.ts';

/** What a pattern says, before it becomes states. `max` absent: without end. */
export type PatternNode =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max?: number };

/** Why a text is no pattern; `offset` is in UTF-16 code units of the pattern. */
export interface PatternProblem {
  readonly kind: 'problem';
  readonly offset: number;
  readonly message: string;
}
