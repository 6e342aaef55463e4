/** Calls back once, when the connection of this request closes before its answer is complete; also when it has closed already. */
export function whenCallerLeaves({ signal }: Request, leave: () => void): void {
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
}
