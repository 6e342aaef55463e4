import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { counterIn } from '@svc/agent/runner/container/oci/cgroup/cgroups';

/** Processes that have a slice of the cores together, as on a small machine of their own. They outlive it, without a limit. */
export interface ControlGroup extends Disposable {
  /** With all its threads; what it starts from now on is in the group as well. */
  take(pid: number): void;
  limit(cores: number): void;
  /** Since it was made. */
  use(): GroupUse;
}

export interface GroupUse {
  readonly cpuMs: number;
  /** In each of them the group gets its full time again. */
  readonly periods: number;
  /** Periods at whose end something waited for the next one, since the time was used up. */
  readonly throttled: number;
}

export const NO_CONTROL_GROUPS =
  'control groups for processor time cannot be made on this machine (cgroups(7), as root)';

const MOUNTED_AT = '/sys/fs/cgroup';
/** A tenth of the usual value, so that a process that has used up its time does not wait for long. */
const PERIOD_US = 10_000;

/** How a version of control groups has it: a group is a folder in each of the roots, and is limited in the first. */
interface Version {
  readonly roots: readonly [string, ...string[]];
  /** Files and what is written to them when the group is made. With time left it comes before whatever has no group. */
  readonly settings: Readonly<Record<string, string>>;
  readonly limit: { readonly file: string; text(quotaUs: number): string };
  cpuMs(folders: readonly string[]): number;
}

/** The function that makes groups on this machine; undefined if there is none. */
export function findControlGroups(mountedAt = MOUNTED_AT): (() => ControlGroup) | undefined {
  const version = [versionOne, versionTwo]
    .map((find) => find(mountedAt))
    .find((found) => found !== undefined);
  return version && (() => makeControlGroup(version));
}

function makeControlGroup({ roots, settings, limit, cpuMs }: Version): ControlGroup {
  const name = `svc-bench-${randomUUID()}`;
  const folders = roots.map((root) => join(root, name));
  const limited = join(roots[0], name);
  using made = new DisposableStack();
  for (const root of roots) {
    mkdirSync(join(root, name));
    made.defer(() => remove(root, name));
  }
  for (const [file, text] of Object.entries(settings)) writeFileSync(join(limited, file), text);
  const held = made.move();
  return {
    take(pid) {
      for (const folder of folders) move(pid, folder);
    },
    limit: (cores) => writeFileSync(join(limited, limit.file), limit.text(Math.round(cores * PERIOD_US))),
    use: () => ({
      cpuMs: cpuMs(folders),
      periods: counterIn(join(limited, 'cpu.stat'), 'nr_periods'),
      throttled: counterIn(join(limited, 'cpu.stat'), 'nr_throttled'),
    }),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** A group with processes cannot be removed; one of them may start another while it is moved. */
function remove(root: string, name: string): void {
  const left = () =>
    readFileSync(join(root, name, 'cgroup.procs'), 'latin1')
      .split('\n')
      .filter(Boolean);
  for (let pids = left(); pids.length > 0; pids = left()) for (const pid of pids) move(Number(pid), root);
  rmdirSync(join(root, name));
}

function move(pid: number, folder: string): void {
  try {
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A hierarchy to limit and one to count, which most machines have in the same place. */
function versionOne(mountedAt: string): Version | undefined {
  const [limits, counts] = ['cpu', 'cpuacct'].map((controller) => writable(join(mountedAt, controller)));
  if (limits === undefined || counts === undefined) return undefined;
  return {
    roots: limits === counts ? [limits] : [limits, counts],
    settings: { 'cpu.shares': '262144', 'cpu.cfs_period_us': String(PERIOD_US) },
    limit: { file: 'cpu.cfs_quota_us', text: String },
    cpuMs: (folders) => Number(readFileSync(join(folders.at(-1) ?? '', 'cpuacct.usage'), 'latin1')) / 1e6,
  };
}

function versionTwo(mountedAt: string): Version | undefined {
  const root = writable(mountedAt);
  const given = join(mountedAt, 'cgroup.subtree_control');
  if (root === undefined || !existsSync(given)) return undefined;
  if (!readFileSync(given, 'latin1').trim().split(' ').includes('cpu')) return undefined;
  return {
    roots: [root],
    settings: { 'cpu.weight': '10000' },
    limit: { file: 'cpu.max', text: (quotaUs) => `${quotaUs} ${PERIOD_US}` },
    cpuMs: ([folder = '']) => counterIn(join(folder, 'cpu.stat'), 'usage_usec') / 1e3,
  };
}

/** The folder by its real name. */
function writable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
