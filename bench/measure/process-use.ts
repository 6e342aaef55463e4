import { readFileSync } from 'node:fs';

/** Processor time, user and system together. */
export interface CpuTime {
  readonly ownMs: number;
  /** Of the children that it has waited for. */
  readonly childrenMs: number;
}

/** Linux counts in hundredths of a second for programs, whatever its own clock does (`USER_HZ`). */
const TICK_MS = 10;
const KIB_PER_MIB = 1024;

export function cpuTime(pid: number): CpuTime {
  return readCpuTime(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The processor time that passed in a process while something was done, and what came of that. */
export async function cpuOf<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly cpu: CpuTime }> {
  const before = cpuTime(pid);
  const result = await work();
  const after = cpuTime(pid);
  const cpu = { ownMs: after.ownMs - before.ownMs, childrenMs: after.childrenMs - before.childrenMs };
  return { result, cpu };
}

/** Physical memory that a process has just now. */
export function residentMiB(pid: number): number {
  return readResidentKib(readFileSync(`/proc/${pid}/status`, 'utf8')) / KIB_PER_MIB;
}

/** Bytes that a process has passed to `write` so far. */
export function writtenBytes(pid: number): number {
  return Number(found(/^wchar: (\d+)$/m, readFileSync(`/proc/${pid}/io`, 'utf8')));
}

/** Of the text of `/proc/PID/stat` (proc_pid_stat(5)). The name in it may hold spaces and parentheses. */
export function readCpuTime(stat: string): CpuTime {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The third field of the manual's table is the first after the name.
  const ms = (field: number) => Number(fields[field - 3]) * TICK_MS;
  return { ownMs: ms(14) + ms(15), childrenMs: ms(16) + ms(17) };
}

/** Of the text of `/proc/PID/status`. */
export function readResidentKib(status: string): number {
  return Number(found(/^VmRSS:\s+(\d+) kB$/m, status));
}

function found(pattern: RegExp, text: string): string {
  const [, figure] = pattern.exec(text) ?? [];
  if (figure === undefined) throw new Error(`${pattern} is not in ${JSON.stringify(text)}`);
  return figure;
}
