import { type Refusal, refuse } from '../../refusal.ts';

/** What is wrong with one value of a call. */
export interface ArgumentProblem {
  readonly argument: string;
  /** A clause that follows the argument's name: `"12x" is not an integer`. */
  readonly message: string;
}

/** The refusal of a call whose values have problems: `details.problems` lists them all (decision 9). */
export function refuseArguments(problems: readonly ArgumentProblem[]): Refusal {
  const message = problems.map((problem) => `argument "${problem.argument}": ${problem.message}`).join('; ');
  return refuse('invalid_argument', message, { argument: problems[0]?.argument, problems });
}
