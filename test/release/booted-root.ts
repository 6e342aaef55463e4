import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';

/** Makes the process that follows the first one of namespaces whose mounts are those of a machine, and then systemd. */
const BOOT = `
set -eu
mount --make-rprivate /
mount --bind "$0" "$0"
cd "$0"
mount -t proc proc proc
# The settings of the kernel are those of this machine.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do : >"dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
# Not chroot: units with users of their own could not be started in it.
pivot_root . mnt
cd /
umount -l /mnt
# Credentials need mounts that are passed on.
mount --make-rshared /
exec env -i container=svc-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
`;
const NAMESPACES = ['--mount', '--pid', '--cgroup', '--ipc', '--uts'];

/** Where control groups of version 2 are mounted; undefined: they are not. */
function controlGroups(): string | undefined {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')?.[1];
}

/**
 * A system with systemd as its first process, in the folder of a Debian. It has processes, mounts and control groups of its own, and
 * shares the network with this machine.
 */
export class BootedRoot implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #group: string;
  readonly #first: string;

  private constructor(child: Bun.Subprocess, group: string, first: string) {
    this.#child = child;
    this.#group = group;
    this.#first = first;
  }

  /** Resolves when the system has started all its units. */
  static async boot(root: string): Promise<BootedRoot> {
    const groups = controlGroups();
    if (groups === undefined) throw new Error('this machine has no control groups of version 2');
    const group = join(groups, `svc-test-${process.pid}`);
    mkdirSync(group);
    // The process joins the group before it gets a view of its own, in which that group is the highest.
    const child = Bun.spawn(
      [
        ...['sh', '-euc', 'echo $$ >"$0/cgroup.procs"; exec "$@"', group],
        ...['unshare', ...NAMESPACES, '--fork', '--kill-child', 'sh', '-c', BOOT, root],
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    let first = '';
    await until(() => {
      first = existsSync(children) ? readFileSync(children, 'utf8').trim() : '';
      return first !== '' || child.exitCode !== null;
    });
    const booted = new BootedRoot(child, group, first);
    await until(async () => {
      if (child.exitCode !== null) throw new Error('the system did not start');
      return (await booted.#state()) === 'running';
    });
    return booted;
  }

  /** Runs a shell line in the system, and returns what it printed. Fails with its messages when it fails. */
  async run(line: string): Promise<string> {
    const { exitCode, printed, said } = await this.#start(line);
    if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${said}${printed}`);
    return printed;
  }

  /** A property of a unit, such as `MainPID`. */
  async propertyOf(unit: string, property: string): Promise<string> {
    return (await this.run(`systemctl show --property=${property} --value ${unit}`)).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    writeFileSync(join(this.#group, 'cgroup.kill'), '1');
    await this.#child.exited;
    await until(() => readFileSync(join(this.#group, 'cgroup.events'), 'utf8').includes('populated 0'));
    removeGroups(this.#group);
  }

  async #state(): Promise<string> {
    // Before systemd listens, the command fails.
    return (await this.#start('systemctl is-system-running --wait')).printed.trim();
  }

  async #start(line: string) {
    const enter = ['nsenter', '--target', this.#first, ...NAMESPACES, '--root', '--wd'];
    const child = Bun.spawn([...enter, '/bin/sh', '-euc', line], {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, said] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode: await child.exited, printed, said };
  }
}

/** A group can be removed once the processes in it have ended. */
function removeGroups(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroups(join(group, entry.name));
  rmdirSync(group);
}
