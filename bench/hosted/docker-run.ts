import { join } from 'node:path';
import type { RunnerImage } from '@svc/agent/runner/container/image/runner-image';
import { seccompProfile } from '@svc/agent/runner/container/oci/seccomp/profile';
import { INODES, OPEN_FILES, PROCESSES, RUNNER_UID, SIZES } from '@svc/agent/runner/container/rules';
import { output } from '../measure/program.ts';
import type { DockerDaemon } from './docker-daemon.ts';
import { LIMITS, timed, type Way } from './way.ts';

const IMAGE = 'svc-bench/runner';

/** `docker run --rm` of the same image, with the same rules as flags: the command line of a person without a pool. */
export async function dockerRun(daemon: DockerDaemon, image: RunnerImage, folder: string): Promise<Way> {
  const docker = ['docker', '--host', daemon.host];
  await output([...docker, 'import', image.tarFile, IMAGE]);
  const seccomp = join(folder, 'seccomp.json');
  await Bun.write(seccomp, JSON.stringify(seccompProfile(process.arch)));
  const command = [...docker, 'run', '--rm', ...flags(daemon.cgroupParent, seccomp), IMAGE, 'true'];
  return {
    name: '`docker run --rm`',
    once: () => timed(async () => void (await output(command))),
    isReady: () => Promise.resolve(true),
  };
}

function flags(cgroupParent: string, seccomp: string): string[] {
  return [
    ...['--cgroup-parent', cgroupParent, '--network', 'none', '--read-only', '--ipc', 'none'],
    ...['--user', `${RUNNER_UID}:${RUNNER_UID}`, '--workdir', '/workspace', '--log-driver', 'none'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${seccomp}`],
    ...['--pids-limit', `${PROCESSES}`, '--cpus', `${LIMITS.vcpus}`],
    ...['--memory', `${LIMITS.memoryBytes}`, '--memory-swap', `${LIMITS.memoryBytes}`],
    ...['--ulimit', `nofile=${OPEN_FILES.soft}:${OPEN_FILES.hard}`, '--ulimit', 'core=0'],
    ...memory('/tmp', SIZES.tmp, 'exec,mode=1777'),
    ...memory('/output', SIZES.output, 'exec,mode=1777'),
    ...memory('/workspace', SIZES.workspace, `exec,mode=0700,uid=${RUNNER_UID},gid=${RUNNER_UID}`),
    ...memory('/dev/shm', SIZES.shm, 'noexec,mode=1777'),
  ];
}

function memory(at: string, bytes: number, options: string): string[] {
  return ['--tmpfs', `${at}:rw,nosuid,nodev,size=${bytes},nr_inodes=${INODES},${options}`];
}
