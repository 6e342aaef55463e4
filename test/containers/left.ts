import { readdirSync, readFileSync } from 'node:fs';
import type { ContainerWorld } from './container-world.ts';

const SHIM = 'perl\n';

/** Everything on this machine because of one runner, apart from containers that wait. */
export interface Left {
  readonly commands: number;
  readonly mounts: readonly string[];
  readonly images: readonly string[];
}

type Where = Pick<ContainerWorld, 'instance' | 'dataFolder'>;

/** A waiting container has only the shim, so every other process in a control group belongs to a command. */
export function leftOf({ instance, dataFolder }: Where): Left {
  return {
    commands: pids().filter((pid) => isCommand(pid, `svc-${instance}`)).length,
    mounts: mountsBelow(`/run/svc-runner/${instance}/mounts`),
    images: namesIn(`${dataFolder}/volumes`),
  };
}

/** Settles when no command is left, nor a mount or image that there was not; what is removed is removed behind the end of its execution. */
export async function nothingLeftOf(where: Where, before: Left): Promise<void> {
  while (isMore(leftOf(where), before)) await Bun.sleep(20);
}

/** NOTE: Commands are not compared with those of before: one that was just going then would let another stay. */
function isMore(now: Left, before: Left): boolean {
  const beyond = (one: readonly string[], other: readonly string[]) =>
    one.some((name) => !other.includes(name));
  return now.commands > 0 || beyond(now.mounts, before.mounts) || beyond(now.images, before.images);
}

/** Containers of a runner: by its control groups, and by the configurations that it keeps. */
export function containersOf({ instance }: Pick<Where, 'instance'>): { groups: string[]; bundles: string[] } {
  return {
    groups: readdirSync('/sys/fs/cgroup').flatMap((hierarchy) =>
      namesIn(`/sys/fs/cgroup/${hierarchy}/svc-${instance}`).filter((name) => /^[0-9a-f]{8}-/.test(name)),
    ),
    bundles: namesIn(`/run/svc-runner/${instance}/bundles`),
  };
}

export function processesOf(instance: string): number[] {
  return pids().filter((pid) => contents(pid, 'cgroup').includes(`svc-${instance}`));
}

/** How many containers of a runner have a shim, whether they wait or run something. */
export function readyOf(instance: string): number {
  const shims = processesOf(instance).filter((pid) => contents(pid, 'comm') === SHIM);
  return new Set(shims.map((pid) => contents(pid, 'cgroup'))).size;
}

function isCommand(pid: number, group: string): boolean {
  return contents(pid, 'cgroup').includes(group) && !isShim(contents(pid, 'comm'));
}

/** Also before it is one: then it is the runtime that makes a container. */
function isShim(comm: string): boolean {
  return comm === SHIM || /^(crun|runc|exe)\b/.test(comm);
}

function contents(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

function pids(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** The mounts in a folder. */
export function mountsBelow(folder: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((mount) => mount.startsWith(`${folder}/`));
}

/** The files below a folder that are loop devices. */
export function loopDevices(folder: string): string[] {
  return readdirSync('/sys/block').flatMap((name) => {
    const file = `/sys/block/${name}/loop/backing_file`;
    try {
      return readFileSync(file, 'utf8').startsWith(`${folder}/`) ? [name] : [];
    } catch {
      // The entry is no loop device, or the device has no file.
      return [];
    }
  });
}

/** Empty if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
