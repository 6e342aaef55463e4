import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerLimits } from '../../engine.ts';

/**
 * The control groups of the containers of one host, below `/svc-…` in every hierarchy. The runtime creates and removes
 * them; this class changes their limits, reads their counters, and removes the remains of a crash.
 */
export interface Cgroups {
  /** The `cgroupsPath` of a runtime configuration. */
  pathOf(id: string): string;
  /** The limits are in force when it returns. */
  limit(id: string, limits: ContainerLimits): void;
  memoryKills(id: string): number;
  /** The folders of this host's containers in all hierarchies. */
  readonly folders: readonly string[];
}

/** The period of CPU time, in microseconds. */
export const CPU_PERIOD_US = 100_000;

export function cpuQuotaUs({ vcpus }: ContainerLimits): number {
  return Math.round(vcpus * CPU_PERIOD_US);
}

/** Reads `name value` in a counter file of the kernel. */
export function counterIn(file: string, name: string): number {
  const [, value = '0'] = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(file, 'latin1')) ?? [];
  return Number(value);
}

/** The containers that have a group, with or without processes. */
export function groupIds({ folders }: Cgroups): string[] {
  return [...new Set(folders.flatMap(foldersIn))];
}

/** The process is in the group in all hierarchies, so the first match is enough. */
export function hasProcess({ folders }: Cgroups, id: string, pid: number): boolean {
  return folders.some((folder) => linesOf(join(folder, id, 'cgroup.procs')).includes(String(pid)));
}

export function processesOf({ folders }: Cgroups, id: string): number[] {
  const pids = folders.flatMap((folder) => linesOf(join(folder, id, 'cgroup.procs')));
  return [...new Set(pids.map(Number))].filter((pid) => pid > 0);
}

/** Removes a group without processes, and the groups that a program created below it; false if processes remain. */
export function removeGroup({ folders }: Cgroups, id: string): boolean {
  return folders.map((folder) => removeTree(join(folder, id))).every((removed) => removed);
}

/** Removes the folders if they are empty. */
export function removeFolders({ folders }: Cgroups): void {
  for (const folder of folders) tryRemove(folder);
}

function removeTree(folder: string): boolean {
  // The runtime has removed nearly all of them, and a check is cheaper than an exception.
  if (!existsSync(folder)) return true;
  for (const name of foldersIn(folder)) removeTree(join(folder, name));
  return tryRemove(folder);
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    // This host has created nothing in this hierarchy yet.
    return [];
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n');
  } catch {
    return [];
  }
}
