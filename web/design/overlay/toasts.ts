import { OpenState } from '../open-state.ts';

/** A page of the dashboard that a toast leads to. */
export interface ToastLink {
  readonly label: string;
  readonly path: string;
}

/** A toast: the result of an action. */
export interface ToastMessage {
  readonly kind: 'done' | 'problem';
  readonly title: string;
  readonly description?: string;
  readonly link?: ToastLink | undefined;
}

/** Open from the first toast on: `Toasts` is loaded then. */
export const toastsWanted = new OpenState();

let receive: ((message: ToastMessage) => void) | undefined;
let pending: ToastMessage[] = [];

export function showDone(title: string, link?: ToastLink): void {
  publish({ kind: 'done', title, link });
}

/** A toast that stays until it is closed: what happened, and what to do. */
export function showProblem(title: string, description?: string): void {
  publish({ kind: 'problem', title, ...(description && { description }) });
}

/** Passes all messages to `show`, also those published before. Returns the function that ends this. */
export function receiveToasts(show: (message: ToastMessage) => void): () => void {
  receive = show;
  for (const message of pending) show(message);
  pending = [];
  return () => {
    receive = undefined;
  };
}

function publish(message: ToastMessage): void {
  if (receive === undefined) pending.push(message);
  else receive(message);
  toastsWanted.set(true);
}
