/** Whether a promise settles, in whichever way, within so long. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const settle = () => {
    clearTimeout(timer);
    resolve(true);
  };
  promise.then(settle, settle);
  return settled;
}
