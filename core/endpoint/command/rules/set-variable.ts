import { isForbiddenVariable } from '../../environment.ts';
import { runsItsValue } from './running-variable.ts';
import { markData, markRefused, type Reason, type Walk } from './walk.ts';

/** Whether a value may go into a variable: not into one that decides what programs load or run (decision 12). */
export function isSafeToSet(name: string): boolean {
  return !isForbiddenVariable(name) && !runsItsValue(name);
}

/** A word that sets a variable for the command at `owner`. */
export function markAssignment(walk: Walk, name: string, at: number, owner: number): void {
  if (isSafeToSet(name)) markData(walk, owner, at, at + 1);
  else markRefused(walk, whyVariable(name), at, at + 1);
}

/** Why no value may go into this variable. */
export function whyVariable(name: string): Reason {
  return (use) =>
    `${name} decides what programs load or run, so ${use.shown} cannot set it: use another variable`;
}
