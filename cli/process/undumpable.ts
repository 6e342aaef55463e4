import { dlopen } from 'bun:ffi';

const PR_SET_DUMPABLE = 4;

/**
 * Protects this process from other processes of the same user: they can neither read its environment, memory and open files
 * below /proc nor trace it (prctl(2), decision 59, the agent's token stays with the agent). A crash leaves no core dump.
 * Child processes are not affected.
 *
 * Returns whether the system did so. Only Linux can; root with CAP_SYS_PTRACE bypasses it.
 */
export function makeUndumpable(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { symbols } = dlopen('libc.so.6', {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    return symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    // The library is missing, or code generation at run time is forbidden.
    return false;
  }
}
