import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Container, type ContainerRequest, type Engine, EngineError } from '../engine.ts';
import type { RunnerImage } from '../image/runner-image.ts';
import { mount, unmount } from '../mounting.ts';
import { RUNNER_UID } from '../rules.ts';
import { ShimChannel } from '../shim/channel.ts';
import { shimCommand } from '../shim/shim-command.ts';
import { makeStateFolder, removeStateFolder } from '../state-folder.ts';
import { type Cgroups, removeFolders } from './cgroup/cgroups.ts';
import { findCgroups } from './cgroup/find-cgroups.ts';
import { removeLeftovers } from './leftovers.ts';
import { unpackedRoot } from './root.ts';
import { HOST_IDS, runtimeConfig, type Seccomp } from './runtime-config.ts';
import { seccompProfile } from './seccomp/profile.ts';
import { startContainer } from './start-container.ts';

export interface OciOptions {
  readonly image: RunnerImage;
  /** The runtime: crun, or one with the same command line, such as runc or runsc. */
  readonly runtime?: string;
  /** A folder of this host alone, in the memory of the machine: `/run/…`. */
  readonly stateFolder: string;
  /** The folder for unpacked images. */
  readonly rootsFolder: string;
  /** The name of this host among control groups; only one process uses it at a time. */
  readonly instance: string;
  /** A network namespace, such as `/run/netns/hosted`, for the executions that may have one. */
  readonly networkNamespace?: string;
}

/**
 * Calls an OCI runtime directly: no daemon, and only two milliseconds more than the kernel needs (decision 49, the hosted
 * runner).
 */
export class OciEngine implements Engine {
  readonly name: string;
  readonly runnerUid = HOST_IDS.first + RUNNER_UID;
  readonly #options: OciOptions;
  readonly #runtime: string;
  readonly #cgroups: Cgroups;
  readonly #root: string;
  /** The runtime program, as called for a container. */
  readonly #program: string;
  readonly #command = shimCommand();
  #seccomp: Seccomp = { kind: 'names', profile: seccompProfile(process.arch) };

  private constructor(options: OciOptions, runtime: Runtime, cgroups: Cgroups, root: string) {
    this.name = `oci, ${runtime.version}`;
    this.#runtime = runtime.path;
    this.#options = options;
    this.#cgroups = cgroups;
    this.#root = root;
    this.#program = programIn(options);
  }

  /** Rejects with an {@link EngineError} that names what this machine lacks. */
  static async open(options: OciOptions): Promise<OciEngine> {
    const runtime = await findRuntime(options.runtime ?? 'crun');
    const cgroups = findCgroups(`svc-${options.instance}`);
    const unpacked = await unpackedRoot(options.image, options.rootsFolder);
    await makeStateFolder(options.stateFolder);
    for (const folder of ['bundles', 'runtime']) {
      mkdirSync(join(options.stateFolder, folder), { recursive: true, mode: 0o700 });
    }
    const engine = new OciEngine(options, runtime, cgroups, join(options.stateFolder, 'root'));
    try {
      // This comes first: containers of an earlier process may still use its mounts.
      await engine.removeLeftovers();
      await mountRoot(unpacked, engine.#root);
      await mountProgram(runtime.path, engine.#program);
      await engine.#compileSeccomp();
      return engine;
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  create({ limits, network, workspace, output }: ContainerRequest): Promise<Container> {
    return Promise.try(() => {
      const { networkNamespace } = this.#options;
      if (network && networkNamespace === undefined) {
        throw new EngineError('this host has no network for containers (--network-namespace)');
      }
      const id = crypto.randomUUID();
      const config = runtimeConfig({
        root: this.#root,
        command: this.#command,
        limits,
        cgroupsPath: this.#cgroups.pathOf(id),
        workspace,
        output,
        networkNamespace: network ? networkNamespace : undefined,
        seccomp: this.#seccomp,
      });
      const { stateFolder } = this.#options;
      const starting = { program: this.#program, argv0: this.#runtime, stateFolder, cgroups: this.#cgroups };
      return startContainer(starting, id, config);
    });
  }

  removeLeftovers(): Promise<readonly string[]> {
    return removeLeftovers({
      runtime: this.#runtime,
      stateFolder: this.#options.stateFolder,
      cgroups: this.#cgroups,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.removeLeftovers();
    removeFolders(this.#cgroups);
    await unmountProgram(this.#program);
    await unmount(this.#root);
    await removeStateFolder(this.#options.stateFolder, ['root', 'runtime', 'bundles', 'mounts', 'outputs']);
  }

  /**
   * crun stores the compiled filter beside the state of a container. Reusing it saves the longest part of every start.
   * Other runtimes compile the filter each time.
   */
  async #compileSeccomp(): Promise<void> {
    const limits = { vcpus: 1, memoryBytes: 64 * 1024 * 1024 };
    const channel = new ShimChannel(await this.create({ limits, network: false }));
    try {
      await channel.ready();
      const { stateFolder } = this.#options;
      const filter = readFileSync(join(stateFolder, 'runtime', channel.container.id, 'seccomp.bpf'));
      this.#seccomp = { kind: 'compiled', base64: filter.toString('base64') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    } finally {
      channel.abandon();
      await channel.container.remove();
    }
  }
}

function programIn({ stateFolder }: OciOptions): string {
  return join(stateFolder, 'program');
}

/** Makes the folder passable for all users, whatever the folders above it allow. */
async function mountRoot(unpacked: string, root: string): Promise<void> {
  await unmount(root);
  mkdirSync(root, { recursive: true, mode: 0o711 });
  await mount(['--bind', '-o', 'ro,nosuid,nodev'], unpacked, root);
}

/** The program that is called for each container. */
interface Runtime {
  readonly path: string;
  readonly version: string;
}

/** Rejects with an {@link EngineError} if the program is missing or may not be called. */
async function findRuntime(name: string): Promise<Runtime> {
  const path = Bun.which(name);
  if (path === null)
    throw new EngineError(`no container runtime: there is no program "${name}" (Debian: apt install crun)`);
  if (process.getuid?.() !== 0) throw new EngineError(`${name} is called directly by root only`);
  const child = Bun.spawn([path, '--version'], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const [firstLine = name] = (await new Response(child.stdout).text()).split('\n');
  return { path, version: firstLine.replace(' version', '') };
}

/**
 * Mounts the runtime at a read-only path. crun makes such a mount of itself at every start, so that no container can change
 * it, and executes itself again from there, unless it already runs from one.
 */
async function mountProgram(runtime: string, path: string): Promise<void> {
  await unmount(path);
  writeFileSync(path, '', { mode: 0o600 });
  await mount(['--bind', '-o', 'ro,nosuid,nodev'], runtime, path);
}

async function unmountProgram(path: string): Promise<void> {
  await unmount(path);
  rmSync(path, { force: true });
}
