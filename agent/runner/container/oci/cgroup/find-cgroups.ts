import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContainerLimits, EngineError } from '../../engine.ts';
import { type Cgroups, CPU_PERIOD_US, counterIn, cpuQuotaUs } from './cgroups.ts';

const NEEDED = ['memory', 'cpu', 'pids'] as const;

/** Finds the control groups of this machine. `parent` is the name of this host's folder in them. */
export function findCgroups(
  parent: string,
  mountinfo = readFileSync('/proc/self/mountinfo', 'utf8'),
): Cgroups {
  const mounts = readMounts(mountinfo);
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const hierarchies = hierarchiesOf(mounts);
  if (hierarchies.controllers.size === 0 && unified !== undefined) return checkedV2(unified.folder, parent);
  const missing = NEEDED.filter((controller) => !hierarchies.controllers.has(controller));
  if (missing.length > 0) throw notEnforced(missing);
  return cgroupsV1(hierarchies, parent);
}

function checkedV2(folder: string, parent: string): Cgroups {
  const offered = readFileSync(`${folder}/cgroup.controllers`, 'utf8').trim().split(' ');
  const missing = NEEDED.filter((controller) => !offered.includes(controller));
  if (missing.length > 0) throw notEnforced(missing);
  return cgroupsV2(folder, parent);
}

function notEnforced(controllers: readonly string[]): EngineError {
  const names = controllers.join(', ');
  return new EngineError(
    `this machine would not enforce limits: it has no control group controller for ${names}`,
  );
}

interface Mount {
  readonly folder: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** See proc(5): the type and options of the file system follow a lone hyphen. */
function readMounts(mountinfo: string): Mount[] {
  return mountinfo
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ');
      const [type = '', , options = ''] = after.split(' ');
      return { folder: before.split(' ')[4] ?? '', type, options: options.split(',') };
    });
}

function hierarchiesOf(mounts: readonly Mount[]): Hierarchies {
  const all = mounts.filter(({ type }) => type === 'cgroup');
  const controllers = all.flatMap(({ folder, options }) =>
    options.map((option): [string, string] => [option, folder]),
  );
  const known = new Map(controllers.filter(([name]) => NEEDED.some((needed) => needed === name)));
  const unified = mounts.filter(({ type }) => type === 'cgroup2');
  return { controllers: known, all: [...all, ...unified].map(({ folder }) => folder) };
}

/** Version 2: one hierarchy for everything. */
function cgroupsV2(mountedAt: string, parent: string): Cgroups {
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

/** The mount point of each controller by name, and all hierarchies. */
interface Hierarchies {
  readonly controllers: ReadonlyMap<string, string>;
  readonly all: readonly string[];
}

/** Version 1: a hierarchy for each controller. */
function cgroupsV1({ controllers, all }: Hierarchies, parent: string): Cgroups {
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
