import { readFileSync } from 'node:fs';

/** The most physical memory that a process has had so far, in MiB. */
export function peakMiB(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`no peak memory of process ${pid}`);
  return Number(kib) / 1024;
}
