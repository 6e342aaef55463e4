/** Long enough to leave the processor to what a test waits for. */
const PAUSE_MS = 5;

/** Between two looks at something that changes by itself. */
export function pollPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Settles when it is so; the timeout of the test is the end of its patience. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pollPause();
}
