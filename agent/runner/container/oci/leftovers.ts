import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../engine.ts';
import { type Cgroups, groupIds, processesOf, removeGroup } from './cgroup/cgroups.ts';

export interface Leftovers {
  readonly runtime: string;
  readonly stateFolder: string;
  readonly cgroups: Cgroups;
}

const TRIES = 200;
const BETWEEN_TRIES_MS = 25;

/**
 * Removes every container of this host: its processes, its control groups, its state in the runtime and its configuration.
 * Returns the ids.
 */
export async function removeLeftovers({
  runtime,
  stateFolder,
  cgroups,
}: Leftovers): Promise<readonly string[]> {
  const states = join(stateFolder, 'runtime');
  const bundles = join(stateFolder, 'bundles');
  const ids = [...new Set([...groupIds(cgroups), ...readdirSync(states), ...readdirSync(bundles)])];
  await Promise.all(ids.map((id) => emptied(cgroups, id)));
  for (const id of ids) await forget(runtime, states, id);
  for (const id of ids) {
    rmSync(join(bundles, id), { recursive: true, force: true });
    if (!removeGroup(cgroups, id))
      throw new EngineError(`the control group of container ${id} cannot be removed`);
  }
  return ids;
}

/** Kills until no process is left: a process may just be forking. */
async function emptied(cgroups: Cgroups, id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const pids = processesOf(cgroups, id);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await Bun.sleep(BETWEEN_TRIES_MS);
  }
  throw new EngineError(
    `container ${id} of an earlier process cannot be ended: its processes hang in the kernel`,
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It no longer exists.
  }
}

async function forget(runtime: string, states: string, id: string): Promise<void> {
  const command = [runtime, '--root', states, 'delete', '--force', id];
  await Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).exited;
  rmSync(join(states, id), { recursive: true, force: true });
}
