import { type Refusal, refuse } from '../../refusal.ts';

/** A problem of one value of a call. */
export interface ArgumentProblem {
  readonly argument: string;
  /** A clause that follows the argument's name: `"12x" is not an integer`. */
  readonly message: string;
}

/** The refusal of a call with wrong values; `details.problems` lists all problems (decision 9, values of a call). */
export function refuseArguments(problems: readonly ArgumentProblem[]): Refusal {
  const message = problems.map((problem) => `argument "${problem.argument}": ${problem.message}`).join('; ');
  return refuse('invalid_argument', message, { argument: problems[0]?.argument, problems });
}
