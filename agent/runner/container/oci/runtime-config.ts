import type { ContainerLimits } from '../engine.ts';
import { INODES, MASKED_PATHS, OPEN_FILES, PROCESSES, READONLY_PATHS, RUNNER_UID, SIZES } from '../rules.ts';
import { CPU_PERIOD_US, cpuQuotaUs } from './cgroup/cgroups.ts';

/**
 * The users of a container have unprivileged ids on the host. A process that escapes as `runner`, or even as root, would
 * have only those rights.
 */
export const HOST_IDS = { first: 1_879_048_192, count: 65_536 } as const;

/** The input of `runtimeConfig`. */
export interface ContainerSpec {
  readonly root: string;
  readonly command: readonly string[];
  readonly limits: ContainerLimits;
  readonly cgroupsPath: string;
  /** A folder of the host for `/workspace`; default: a file system in memory. */
  readonly workspace: string | undefined;
  /** The same for `/output`. */
  readonly output: string | undefined;
  /** A network namespace of the host to join; default: a new and empty one. */
  readonly networkNamespace: string | undefined;
  readonly seccomp: Seccomp;
}

/** A filter compiled for the kernel, or names that the runtime compiles for each container. */
export type Seccomp =
  | { readonly kind: 'compiled'; readonly base64: string }
  | { readonly kind: 'names'; readonly profile: object };

/** The configuration of one container by the OCI runtime specification 1.0 (reference 8). */
export function runtimeConfig(spec: ContainerSpec): object {
  const { seccomp } = spec;
  return {
    ociVersion: '1.0.0',
    hostname: 'runner',
    root: { path: spec.root, readonly: true },
    process: processOf(spec.command),
    mounts: mountsOf(spec),
    linux: {
      namespaces: namespacesOf(spec.networkNamespace),
      uidMappings: [ID_MAPPING],
      gidMappings: [ID_MAPPING],
      cgroupsPath: spec.cgroupsPath,
      resources: resourcesOf(spec.limits),
      maskedPaths: MASKED_PATHS,
      readonlyPaths: READONLY_PATHS,
      ...(seccomp.kind === 'names' ? { seccomp: seccomp.profile } : {}),
    },
    annotations: seccomp.kind === 'compiled' ? { 'run.oci.seccomp_bpf_data': seccomp.base64 } : {},
  };
}

const ID_MAPPING = { containerID: 0, hostID: HOST_IDS.first, size: HOST_IDS.count };
const NOTHING: readonly string[] = [];

function processOf(command: readonly string[]): object {
  return {
    terminal: false,
    user: { uid: RUNNER_UID, gid: RUNNER_UID },
    args: command,
    // The working directory of the shim; the job contains that of the command.
    env: ['PATH=/usr/bin:/bin'],
    cwd: '/',
    capabilities: {
      bounding: NOTHING,
      effective: NOTHING,
      inheritable: NOTHING,
      permitted: NOTHING,
      ambient: NOTHING,
    },
    noNewPrivileges: true,
    rlimits: [
      { type: 'RLIMIT_CORE', soft: 0, hard: 0 },
      { type: 'RLIMIT_NOFILE', ...OPEN_FILES },
    ],
  };
}

function namespacesOf(network: string | undefined): object[] {
  const made = ['pid', 'ipc', 'uts', 'mount', 'cgroup', 'user'].map((type) => ({ type }));
  return [...made, network === undefined ? { type: 'network' } : { type: 'network', path: network }];
}

function mountsOf({ workspace, output, networkNamespace }: ContainerSpec): object[] {
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    memory('/dev', SIZES.dev, ['noexec', 'mode=0755']),
    memory('/dev/shm', SIZES.shm, ['nodev', 'noexec', 'mode=1777']),
    memory('/tmp', SIZES.tmp, ['nodev', 'mode=1777']),
    output === undefined
      ? memory('/output', SIZES.output, ['nodev', 'mode=1777'])
      : bind(output, '/output', ['rw', 'nosuid', 'nodev']),
    workspace === undefined
      ? memory('/workspace', SIZES.workspace, [
          'nodev',
          'mode=0700',
          `uid=${RUNNER_UID}`,
          `gid=${RUNNER_UID}`,
        ])
      : bind(workspace, '/workspace', ['rw', 'nosuid', 'nodev']),
    ...(networkNamespace === undefined ? [] : [bind('/etc/resolv.conf', '/etc/resolv.conf', ['ro'])]),
  ];
}

function memory(destination: string, bytes: number, options: readonly string[]): object {
  const all = ['nosuid', `size=${bytes}`, `nr_inodes=${INODES}`, ...options];
  return { destination, type: 'tmpfs', source: 'tmpfs', options: all };
}

function bind(source: string, destination: string, options: readonly string[]): object {
  return { destination, type: 'bind', source, options: ['bind', ...options] };
}

function resourcesOf(limits: ContainerLimits): object {
  const { memoryBytes } = limits;
  return {
    devices: [{ allow: false, access: 'rwm' }],
    memory: { limit: memoryBytes, swap: memoryBytes },
    cpu: { quota: cpuQuotaUs(limits), period: CPU_PERIOD_US },
    pids: { limit: PROCESSES },
  };
}
