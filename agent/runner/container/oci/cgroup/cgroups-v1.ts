import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerLimits } from '../../engine.ts';
import { type Cgroups, counterIn, cpuQuotaUs } from './cgroups.ts';

/** Where each controller is mounted, by its name; and all hierarchies. */
export interface Hierarchies {
  readonly controllers: ReadonlyMap<string, string>;
  readonly all: readonly string[];
}

/** The first version: a hierarchy for each controller. */
export function cgroupsV1({ controllers, all }: Hierarchies, parent: string): Cgroups {
  const file = (controller: string, id: string, name: string) =>
    join(controllers.get(controller) ?? '', parent, id, name);
  return {
    pathOf: (id) => `/${parent}/${id}`,
    folders: all.map((hierarchy) => join(hierarchy, parent)),
    limit(id, limits) {
      limitMemory(file('memory', id, ''), limits.memoryBytes);
      // The period is the same for all, and is set with the group.
      writeFileSync(file('cpu', id, 'cpu.cfs_quota_us'), String(cpuQuotaUs(limits)));
    },
    memoryKills: (id) => counterIn(file('memory', id, 'memory.oom_control'), 'oom_kill'),
  };
}

/** Where swap is counted, memory and swap together may never be less than memory, whichever is written first. */
function limitMemory(folder: string, bytes: ContainerLimits['memoryBytes']): void {
  const memory = join(folder, 'memory.limit_in_bytes');
  const withSwap = join(folder, 'memory.memsw.limit_in_bytes');
  const files = existsSync(withSwap) ? [memory, withSwap] : [memory];
  if (Number(readFileSync(memory, 'latin1')) < bytes) files.reverse();
  for (const file of files) writeFileSync(file, String(bytes));
}
