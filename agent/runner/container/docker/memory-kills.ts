import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findCgroups } from '../oci/cgroup/find-cgroups.ts';

/**
 * How often the kernel killed for memory in the control group of a process. Engines only report whether process 1 was
 * killed, or whether any process was.
 */
export function memoryKillsOf(pid: number): number {
  const group = memoryGroupIn(readFileSync(`/proc/${pid}/cgroup`, 'latin1'));
  return findCgroups(dirname(group)).memoryKills(basename(group));
}

/** See cgroups(7): `4:memory:/path` in version 1, `0::/path` in version 2. */
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
