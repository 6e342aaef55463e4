import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerLimits } from '../../engine.ts';
import { type Cgroups, counterIn, cpuQuotaUs } from './cgroups.ts';

/** The mount point of each controller by name, and all hierarchies. */
export interface Hierarchies {
  readonly controllers: ReadonlyMap<string, string>;
  readonly all: readonly string[];
}

/** Version 1: a hierarchy for each controller. */
export function cgroupsV1({ controllers, all }: Hierarchies, parent: string): Cgroups {
  const file = (controller: string, id: string, name: string) =>
    join(controllers.get(controller) ?? '', parent, id, name);
  return {
    pathOf: (id) => `/${parent}/${id}`,
    folders: all.map((hierarchy) => join(hierarchy, parent)),
    limit(id, limits) {
      limitMemory(file('memory', id, ''), limits.memoryBytes);
      // The period is the same for all groups and is set at their creation.
      writeFileSync(file('cpu', id, 'cpu.cfs_quota_us'), String(cpuQuotaUs(limits)));
    },
    memoryKills: (id) => counterIn(file('memory', id, 'memory.oom_control'), 'oom_kill'),
  };
}

/** If swap is counted, the limit of memory plus swap may never be below that of memory, so the order of writes matters. */
function limitMemory(folder: string, bytes: ContainerLimits['memoryBytes']): void {
  const memory = join(folder, 'memory.limit_in_bytes');
  const withSwap = join(folder, 'memory.memsw.limit_in_bytes');
  const files = existsSync(withSwap) ? [memory, withSwap] : [memory];
  if (Number(readFileSync(memory, 'latin1')) < bytes) files.reverse();
  for (const file of files) writeFileSync(file, String(bytes));
}
