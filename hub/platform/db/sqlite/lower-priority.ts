import { dlopen } from 'bun:ffi';

const PRIO_PROCESS = 0;
const THIS_THREAD = 0;
/** About a tenth of the processor time of a thread that serves calls, while the machine is busy; all that is free otherwise. */
const NICE = 10;

/**
 * Lets this thread wait where a call needs the processor. On a machine with two cores a reader would take one of them.
 *
 * NOTE: Only on Linux does the call mean a thread. Without the library the thread keeps its priority, which is only slower.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const { symbols } = dlopen('libc.so.6', {
      setpriority: { args: ['i32', 'u32', 'i32'], returns: 'i32' },
    });
    symbols.setpriority(PRIO_PROCESS, THIS_THREAD, NICE);
  } catch {
    return;
  }
}
