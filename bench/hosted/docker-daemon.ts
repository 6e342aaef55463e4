import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { output } from '../measure/program.ts';
import { stop } from '../peers/server.ts';

/** A Docker Engine of its own, which shares nothing with another one of this machine and touches no network. */
export interface DockerDaemon extends AsyncDisposable {
  readonly version: string;
  /** For `docker --host`. */
  readonly host: string;
  /** For `docker run --cgroup-parent`. */
  readonly cgroupParent: string;
}

const READY_WITHIN_MS = 30_000;
const ENDS_WITHIN_MS = 30_000;
const ASK_AGAIN_MS = 50;
const CGROUPS = '/sys/fs/cgroup';

/** Starts `dockerd` with all that it keeps in a folder; undefined where it is not installed. */
export async function startDocker(folder: string): Promise<DockerDaemon | undefined> {
  const program = Bun.which('dockerd');
  if (program === null || Bun.which('docker') === null) return undefined;
  const home = join(folder, 'docker');
  await mkdir(home);
  await Bun.write(join(home, 'no-settings.json'), '{}');
  const host = `unix://${join(home, 'sock')}`;
  const child = Bun.spawn([program, ...daemonOptions(home, host)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: Bun.file(join(home, 'log')),
  });
  const cgroupParent = `/svc-bench-${child.pid}`;
  const close = async () => {
    await end(child);
    await removeGroups(cgroupParent);
    await unmountBelow(home);
  };
  try {
    const version = await readyVersion(child, host);
    return { version, host, cgroupParent, [Symbol.asyncDispose]: close };
  } catch (cause) {
    const log = await readFile(join(home, 'log'), 'utf8');
    await close();
    throw new Error(`dockerd does not start:\n${log.slice(-2_000)}`, { cause });
  }
}

function daemonOptions(home: string, host: string): string[] {
  return [
    ...['--bridge=none', '--iptables=false', '--ip-forward=false'],
    ...[`--data-root=${join(home, 'data')}`, `--exec-root=${join(home, 'exec')}`],
    ...[
      `--pidfile=${join(home, 'pid')}`,
      `--host=${host}`,
      `--config-file=${join(home, 'no-settings.json')}`,
    ],
  ];
}

async function readyVersion(child: Bun.Subprocess, host: string): Promise<string> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      const version = await output(['docker', '--host', host, 'version', '--format', '{{.Server.Version}}']);
      return version.trim();
    } catch (cause) {
      if (child.exitCode !== null || performance.now() > deadline) throw cause;
      await Bun.sleep(ASK_AGAIN_MS);
    }
  }
}

/** It ends its containerd with it when it is asked to, and leaves that behind when it is killed. */
async function end(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const isOver = await Promise.race([
    child.exited.then(() => true),
    Bun.sleep(ENDS_WITHIN_MS).then(() => false),
  ]);
  if (!isOver) await stop(child);
}

/** Docker leaves the parent of the groups that it has removed. */
async function removeGroups(parent: string): Promise<void> {
  const hierarchies = [CGROUPS, ...(await readdir(CGROUPS)).map((name) => join(CGROUPS, name))];
  for (const hierarchy of hierarchies) {
    const group = join(hierarchy, parent);
    if (existsSync(group)) await rmdir(group);
  }
}

async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const points = mounts.map((line) => line.split(' ')[4] ?? '').filter((point) => point.startsWith(folder));
  for (const point of points.reverse()) await output(['umount', point]);
}
