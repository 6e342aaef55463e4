/** Long enough that the code under test gets the processor. */
const PAUSE_MS = 5;

/** The pause between two checks of something that changes by itself. */
export function pollPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Resolves when the check is true. Only the timeout of the test ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pollPause();
}
