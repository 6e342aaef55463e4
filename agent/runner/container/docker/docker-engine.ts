import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Container, type ContainerRequest, type Engine, EngineError } from '../engine.ts';
import type { RunnerImage } from '../image/runner-image.ts';
import { removeFolders } from '../oci/cgroup/cgroups.ts';
import { findCgroups } from '../oci/cgroup/find-cgroups.ts';
import { seccompProfile } from '../oci/seccomp/profile.ts';
import { RUNNER_UID } from '../rules.ts';
import { ShimChannel } from '../shim/channel.ts';
import { shimCommand } from '../shim/shim-command.ts';
import { makeStateFolder, removeStateFolder } from '../state-folder.ts';
import type { Attachment } from './api/attachment.ts';
import { ContainersApi } from './api/containers-api.ts';
import { DockerApi, DockerUnavailable, isNotFound } from './api/docker-api.ts';
import { containerBody } from './container-body.ts';
import { DockerContainer } from './docker-container.ts';
import { checkedInfo, type EngineInfo } from './engine-info.ts';
import { DockerImage } from './image.ts';

export interface DockerOptions {
  readonly image: RunnerImage;
  /** The socket of the engine, see `socketPath`. */
  readonly socket: string;
  /** A folder of this host alone, in the memory of the machine: `/run/…`. */
  readonly stateFolder: string;
  /** The name of this host among containers; only one process uses it at a time. */
  readonly instance: string;
  /** One of the engine's networks, for the executions that may have one. */
  readonly network?: string;
}

const TRIAL_LIMITS = { vcpus: 1, memoryBytes: 64 * 1024 * 1024 };
const LABEL = 'svc.runner';

/**
 * Uses Docker Engine or Podman's service by its socket; the program `docker` is not needed (decision 49, the hosted
 * runner).
 */
export class DockerEngine implements Engine {
  readonly name: string;
  readonly #options: DockerOptions;
  readonly #containers: ContainersApi;
  readonly #image: DockerImage;
  readonly #cgroupParent: string | undefined;
  readonly #command = shimCommand();
  readonly #seccomp = JSON.stringify(seccompProfile(process.arch));
  #runnerUid = RUNNER_UID;

  private constructor(options: DockerOptions, api: DockerApi, info: EngineInfo) {
    this.name = `docker ${info.ServerVersion ?? ''}`.trim();
    this.#options = options;
    this.#containers = new ContainersApi(api);
    this.#image = new DockerImage(api, options.image);
    // With systemd, control groups are units with other names, so the engine places them.
    this.#cgroupParent = info.CgroupDriver === 'cgroupfs' ? `/svc-${options.instance}` : undefined;
  }

  /** Rejects with an {@link EngineError} that names what this machine lacks. */
  static async open(options: DockerOptions): Promise<DockerEngine> {
    if (process.getuid?.() !== 0) throw new EngineError('volumes of pipeline runs are made by root only');
    const api = await DockerApi.open(options.socket);
    const engine = new DockerEngine(options, api, await checkedInfo(api));
    await makeStateFolder(options.stateFolder);
    writeFileSync(engine.#nothing, '');
    try {
      await engine.removeLeftovers();
      await engine.#image.present();
      await engine.#learnUsers();
      return engine;
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  get runnerUid(): number {
    return this.#runnerUid;
  }

  async create(request: ContainerRequest): Promise<Container> {
    const { network, instance } = this.#options;
    if (request.network && network === undefined) {
      throw new EngineError('this host has no network for containers (--docker-network)');
    }
    const id = `svc-${instance}-${crypto.randomUUID()}`;
    const body = containerBody({
      ...request,
      image: this.#image.name,
      command: this.#command,
      labels: { [LABEL]: instance },
      seccomp: this.#seccomp,
      cgroupParent: this.#cgroupParent,
      nothing: this.#nothing,
      networkName: network,
    });
    return new DockerContainer(id, this.#containers, await this.#start(id, body));
  }

  async removeLeftovers(): Promise<readonly string[]> {
    const left = await this.#containers.labelled(`${LABEL}=${this.#options.instance}`);
    await Promise.all(left.map((id) => this.#containers.remove(id)));
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.removeLeftovers();
    } catch (error) {
      // The engine removes them when it is back, and so does the next start of this host.
      if (!(error instanceof DockerUnavailable)) throw error;
    }
    if (this.#cgroupParent !== undefined) removeFolders(findCgroups(this.#cgroupParent));
    rmSync(this.#nothing, { force: true });
    await removeStateFolder(this.#options.stateFolder, ['mounts', 'outputs']);
  }

  get #nothing(): string {
    return join(this.#options.stateFolder, 'nothing');
  }

  /** The images of the engine may have been deleted. */
  async #start(id: string, body: object): Promise<Attachment> {
    try {
      return await this.#containers.start(id, body);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#image.present();
      return await this.#containers.start(id, body);
    }
  }

  /** The engine does not report which user of this machine is `runner`. */
  async #learnUsers(): Promise<void> {
    const channel = new ShimChannel(await this.create({ limits: TRIAL_LIMITS, network: false }));
    try {
      await channel.ready();
      const pid = await this.#containers.pidOf(channel.container.id);
      const uid =
        pid === undefined ? undefined : hostId(readFileSync(`/proc/${pid}/uid_map`, 'latin1'), RUNNER_UID);
      if (uid === undefined)
        throw new EngineError('the engine has no room for the user of the image: its number is 10001');
      this.#runnerUid = uid;
    } finally {
      channel.abandon();
      await channel.container.remove();
    }
  }
}

/**
 * The host's id of a user in a container, from the user map of the container (user_namespaces(7)). It differs if the engine
 * shifts users, as Docker does with `userns-remap`. Undefined: the map lacks the user.
 */
export function hostId(uidMap: string, inContainer: number): number | undefined {
  for (const line of uidMap.trim().split('\n')) {
    const [first = 0, onHost = 0, count = 0] = line.trim().split(/\s+/).map(Number);
    if (inContainer >= first && inContainer < first + count) return onHost + inContainer - first;
  }
  return undefined;
}
