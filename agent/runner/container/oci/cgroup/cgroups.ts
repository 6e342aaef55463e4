import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerLimits } from '../../engine.ts';

/**
 * The control groups of the containers of one host: one below `/svc-…` for each, in every hierarchy that there is. The
 * runtime makes and removes them; this changes their limits, counts, and removes what a crash left.
 */
export interface Cgroups {
  /** For `cgroupsPath` of a runtime configuration. */
  pathOf(id: string): string;
  /** In force when it returns. */
  limit(id: string, limits: ContainerLimits): void;
  memoryKills(id: string): number;
  /** The folders of all hierarchies, of this host's containers. */
  readonly folders: readonly string[];
}

/** Time is given out in portions of this many microseconds. */
export const CPU_PERIOD_US = 100_000;

export function cpuQuotaUs({ vcpus }: ContainerLimits): number {
  return Math.round(vcpus * CPU_PERIOD_US);
}

/** `name value` in one of the kernel's files of counters. */
export function counterIn(file: string, name: string): number {
  const [, value = '0'] = new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(file, 'latin1')) ?? [];
  return Number(value);
}

/** The containers that have a group, whether anything runs in it or not. */
export function groupIds({ folders }: Cgroups): string[] {
  return [...new Set(folders.flatMap(foldersIn))];
}

/** It is in the group in all hierarchies; the first in which it is seen will do. */
export function hasProcess({ folders }: Cgroups, id: string, pid: number): boolean {
  return folders.some((folder) => linesOf(join(folder, id, 'cgroup.procs')).includes(String(pid)));
}

export function processesOf({ folders }: Cgroups, id: string): number[] {
  const pids = folders.flatMap((folder) => linesOf(join(folder, id, 'cgroup.procs')));
  return [...new Set(pids.map(Number))].filter((pid) => pid > 0);
}

/** Removes a group in which nothing runs, and what a program in it may have made below it; false while something does. */
export function removeGroup({ folders }: Cgroups, id: string): boolean {
  return folders.map((folder) => removeTree(join(folder, id))).every((removed) => removed);
}

/** Removes the folders themselves, when nothing is in them any more. */
export function removeFolders({ folders }: Cgroups): void {
  for (const folder of folders) tryRemove(folder);
}

function removeTree(folder: string): boolean {
  // The runtime has removed nearly all of them, and an exception costs more than a look.
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
    // A hierarchy in which this host has made nothing yet.
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
