import { readFileSync } from 'node:fs';
import { EngineError } from '../../engine.ts';
import type { Cgroups } from './cgroups.ts';
import { cgroupsV1, type Hierarchies } from './cgroups-v1.ts';
import { cgroupsV2 } from './cgroups-v2.ts';

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
