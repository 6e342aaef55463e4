import { OpenState } from '../open-state.ts';

/** Short news about what somebody has just done. */
export interface Told {
  readonly kind: 'done' | 'problem';
  readonly title: string;
  readonly description?: string;
}

/** Whether there has been anything to tell: what shows it is loaded then. */
export const toastsWanted = new OpenState();

let take: ((told: Told) => void) | undefined;
let untaken: Told[] = [];

export function tellDone(title: string): void {
  tell({ kind: 'done', title });
}

/** Stays until it is read: what happened, what it means, what to do. */
export function tellProblem(title: string, description?: string): void {
  tell({ kind: 'problem', title, ...(description && { description }) });
}

/** Gives everything to whoever shows it, also what was told before; until the returned function is called. */
export function showTold(show: (told: Told) => void): () => void {
  take = show;
  for (const told of untaken) show(told);
  untaken = [];
  return () => {
    take = undefined;
  };
}

function tell(told: Told): void {
  if (take === undefined) untaken.push(told);
  else take(told);
  toastsWanted.set(true);
}
