import { type Goal, isMet } from './comparison.ts';
import { figuresOf, type Turn } from './interleave.ts';
import { type Spread, spread } from './statistics.ts';

/** A figure without a counterpart in the same run. It depends on the machine as much as on the program. */
export interface Reading {
  readonly what: string;
  readonly figure: Spread;
  readonly goal?: Goal;
  /** Checked against the median. */
  readonly met?: boolean;
  /** Figures that others have published, of other machines. */
  readonly beside?: string;
}

export interface Read {
  readonly what: string;
  /** One for each round. */
  readonly figures: readonly number[];
  readonly goal?: Goal;
  readonly beside?: string;
}

export function reading({ figures, ...rest }: Read): Reading {
  const figure = spread(figures);
  return { ...rest, figure, ...(rest.goal && { met: isMet(rest.goal, figure.median) }) };
}

/** One for each contestant of the same rounds; those without a goal only show figures. */
export function readingsOf(
  contestants: readonly string[],
  turns: readonly Turn[],
  goals: Readonly<Record<string, Goal>> = {},
): Reading[] {
  return contestants.map((what) => {
    const goal = goals[what];
    return reading({ what, figures: figuresOf(what, turns), ...(goal && { goal }) });
  });
}
