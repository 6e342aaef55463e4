import type { ContainerLimits, ContainerRequest } from '../engine.ts';
import { CPU_PERIOD_US, cpuQuotaUs } from '../oci/cgroup/cgroups.ts';
import { INODES, MASKED_PATHS, OPEN_FILES, PROCESSES, READONLY_PATHS, RUNNER_UID, SIZES } from '../rules.ts';

/** The input of `containerBody`. */
export interface DockerSpec extends ContainerRequest {
  readonly image: string;
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** In the form of the engine: JSON, or a file for Podman. */
  readonly seccomp: string;
  /** The parent of the control groups; undefined: the default of the engine. */
  readonly cgroupParent: string | undefined;
  /** An empty file of the host. */
  readonly nothing: string;
  /** One of the engine's networks, for a container that may have one. */
  readonly networkName: string | undefined;
}

/** The engine always mounts these; commands do not need them. */
const UNWANTED = ['/sys', '/dev/mqueue', '/dev/pts'];

/** The body of "create a container" (Docker Engine API 1.41), with all rules of reference 8 and without secrets. */
export function containerBody(spec: DockerSpec): object {
  const [program = '', ...parameters] = spec.command;
  return {
    Image: spec.image,
    Entrypoint: [program],
    Cmd: parameters,
    User: `${RUNNER_UID}:${RUNNER_UID}`,
    WorkingDir: '/',
    // The working directory of the shim; the job contains that of the command.
    Env: ['PATH=/usr/bin:/bin'],
    Hostname: 'runner',
    Labels: spec.labels,
    OpenStdin: true,
    // The shim ends when the connection that hands over the job closes.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    // Process 1 ignores other signals, and a stopping engine would wait for it.
    StopSignal: 'SIGKILL',
    HostConfig: hostConfig(spec),
  };
}

export function limitsBody(limits: ContainerLimits): object {
  const { memoryBytes } = limits;
  return {
    Memory: memoryBytes,
    // The limit of memory plus swap, so no swap.
    MemorySwap: memoryBytes,
    CpuPeriod: CPU_PERIOD_US,
    CpuQuota: cpuQuotaUs(limits),
  };
}

function hostConfig(spec: DockerSpec): object {
  return {
    ...limitsBody(spec.limits),
    PidsLimit: PROCESSES,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: OPEN_FILES.soft, Hard: OPEN_FILES.hard },
    ],
    ...(spec.cgroupParent === undefined ? {} : { CgroupParent: spec.cgroupParent }),
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', `seccomp=${spec.seccomp}`],
    CgroupnsMode: 'private',
    // The engine's own /dev/shm does not limit the number of files.
    IpcMode: 'none',
    NetworkMode: spec.network ? spec.networkName : 'none',
    MaskedPaths: [...MASKED_PATHS, ...UNWANTED],
    ReadonlyPaths: READONLY_PATHS,
    Tmpfs: memoryOf(spec),
    Mounts: bindsOf(spec),
    // Output passes through and is not stored on disk.
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
    // Removes the container even if this host is gone.
    AutoRemove: true,
  };
}

function memoryOf({ workspace, output }: DockerSpec): Record<string, string> {
  const own = `exec,mode=0700,uid=${RUNNER_UID},gid=${RUNNER_UID}`;
  return {
    '/dev/shm': memory(SIZES.shm, 'noexec,mode=1777'),
    '/tmp': memory(SIZES.tmp, 'exec,mode=1777'),
    ...(output === undefined ? { '/output': memory(SIZES.output, 'exec,mode=1777') } : {}),
    ...(workspace === undefined ? { '/workspace': memory(SIZES.workspace, own) } : {}),
  };
}

function memory(bytes: number, options: string): string {
  return `rw,nosuid,nodev,size=${bytes},nr_inodes=${INODES},${options}`;
}

function bindsOf({ workspace, output, network, nothing }: DockerSpec): object[] {
  return [
    // A container without a network must not see the name servers of the host.
    ...(network ? [] : [bind(nothing, '/etc/resolv.conf', true)]),
    ...(workspace === undefined ? [] : [bind(workspace, '/workspace', false)]),
    ...(output === undefined ? [] : [bind(output, '/output', false)]),
  ];
}

function bind(Source: string, Target: string, ReadOnly: boolean): object {
  return { Type: 'bind', Source, Target, ReadOnly, BindOptions: { Propagation: 'rprivate' } };
}
