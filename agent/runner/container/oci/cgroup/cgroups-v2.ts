import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cgroups, CPU_PERIOD_US, counterIn, cpuQuotaUs } from './cgroups.ts';

/** Version 2: one hierarchy for everything. */
export function cgroupsV2(mountedAt: string, parent: string): Cgroups {
  const folder = join(mountedAt, parent);
  return {
    pathOf: (id) => `/${parent}/${id}`,
    folders: [folder],
    limit(id, limits) {
      const swap = join(folder, id, 'memory.swap.max');
      if (existsSync(swap)) writeFileSync(swap, '0');
      writeFileSync(join(folder, id, 'memory.max'), String(limits.memoryBytes));
      writeFileSync(join(folder, id, 'cpu.max'), `${cpuQuotaUs(limits)} ${CPU_PERIOD_US}`);
    },
    memoryKills: (id) => counterIn(join(folder, id, 'memory.events'), 'oom_kill'),
  };
}
