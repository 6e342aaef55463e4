import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findCgroups } from '../oci/cgroup/find-cgroups.ts';

/**
 * How often the kernel killed for memory in the control group of a process. What engines say themselves is no measure: they
 * tell whether process 1 was killed, or whether anything was.
 */
export function memoryKillsOf(pid: number): number {
  const group = memoryGroupIn(readFileSync(`/proc/${pid}/cgroup`, 'latin1'));
  return findCgroups(dirname(group)).memoryKills(basename(group));
}

/** See cgroups(7): `4:memory:/path` with the first version, `0::/path` with the second. */
export function memoryGroupIn(cgroup: string): string {
  const groups = cgroup.split('\n').map((line) => {
    const [, controllers = '', ...path] = line.split(':');
    return { controllers: controllers.split(','), path: path.join(':') };
  });
  const found =
    groups.find(({ controllers }) => controllers.includes('memory')) ??
    groups.find(({ controllers }) => controllers.includes(''));
  return found?.path ?? '';
}
