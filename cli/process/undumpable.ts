import { dlopen } from 'bun:ffi';

const PR_SET_DUMPABLE = 4;

/**
 * Closes this process to other processes of the same user: they can read neither its environment nor its memory nor its open
 * files below /proc, and cannot trace it (prctl(2), decision 59). A crash leaves no core dump. Programs that it starts are not
 * affected.
 *
 * Answers whether the system did it. Only Linux can; root with CAP_SYS_PTRACE passes it.
 */
export function makeUndumpable(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { symbols } = dlopen('libc.so.6', {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    return symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    // No such library, or no code may be generated at run time.
    return false;
  }
}
