import { figuresOf, type Turn } from './interleave.ts';
import { type Spread, spread } from './statistics.ts';

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Two contestants of the same rounds; without a goal, only the figures are shown. */
export interface Comparison {
  readonly subject: string;
  readonly against: string;
  readonly goal?: Goal;
}

/** The figures of a comparison. */
export interface ComparisonResult extends Comparison {
  readonly subjectFigure: Spread;
  readonly againstFigure: Spread;
  /** Of the ratios subject / against, each made within one round. */
  readonly ratio: Spread;
  readonly met?: boolean;
}

/** The comparison in figures; the goal is checked against the median of the rounds' ratios. */
export function compare(comparison: Comparison, turns: readonly Turn[]): ComparisonResult {
  const subject = figuresOf(comparison.subject, turns);
  const against = figuresOf(comparison.against, turns);
  const ratio = spread(subject.map((figure, round) => figure / (against[round] ?? Number.NaN)));
  return {
    ...comparison,
    subjectFigure: spread(subject),
    againstFigure: spread(against),
    ratio,
    ...(comparison.goal && { met: isMet(comparison.goal, ratio.median) }),
  };
}

export function isMet(goal: Goal, ratio: number): boolean {
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

/** How much more the subject took than what it is compared with, made round by round like the ratio. */
export function added({ subject, against }: Comparison, turns: readonly Turn[]): number[] {
  const theirs = figuresOf(against, turns);
  return figuresOf(subject, turns).map((figure, round) => figure - (theirs[round] ?? Number.NaN));
}
