/** Whether a promise settles, in whichever way, within so long, and before somebody has lost patience. */
export function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  hurried?: AbortSignal,
): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const giveUp = () => resolve(false);
  const timer = setTimeout(giveUp, hurried?.aborted ? 0 : ms);
  hurried?.addEventListener('abort', giveUp, { once: true });
  const settle = () => resolve(true);
  promise.then(settle, settle);
  return settled.finally(() => {
    clearTimeout(timer);
    hurried?.removeEventListener('abort', giveUp);
  });
}
