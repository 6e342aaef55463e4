/**
 * The port to container engines: `oci` calls an OCI runtime directly, `docker` uses the socket of Docker Engine or Podman
 * (decision 49, the hosted runner). Everything above the port is the same for both: the frames of the shim, the pool of
 * waiting containers, the runner.
 */
export interface Engine extends AsyncDisposable {
  /** The name and version of the engine, for people. */
  readonly name: string;
  /** The host's ids of the user and group `runner`, which own the files of a volume. */
  readonly runnerUid: number;
  /**
   * Starts a container with the shim as process 1, in which all rules of reference 8 hold from the start. It is usable once
   * the shim is ready. Rejects with an {@link EngineError} if it is known at once that no container can be created.
   */
  create(request: ContainerRequest): Promise<Container>;
  /** Removes all containers of an earlier process of this host, in any state, and returns their names for a log. */
  removeLeftovers(): Promise<readonly string[]>;
}

export interface ContainerRequest {
  readonly limits: ContainerLimits;
  /** Joins the network that the host has for containers; rejects if the engine has none. */
  readonly network: boolean;
  /** A folder of the host for `/workspace`, instead of a private one: the volume of a pipeline run. */
  readonly workspace?: string;
  /** A folder of the host for `/output`, whose files are kept; absent: a file system in memory. */
  readonly output?: string;
}

/** The limits that can change while a container waits. */
export interface ContainerLimits {
  readonly vcpus: number;
  readonly memoryBytes: number;
}

/** One container, used once. */
export interface Container {
  readonly id: string;
  /** The frames of the shim, see `shim/frames.ts`. Ends with the container. Read once. */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when no process runs in it, with the message of the engine: empty if all went well. */
  readonly ended: Promise<string>;
  /** Sends bytes to the shim. A container that has ended drops them. */
  send(bytes: Uint8Array): void;
  /** Resolves when the limits are in force; rejects if the machine refuses them. */
  limit(limits: ContainerLimits): Promise<void>;
  /** How often the kernel killed a process of the container for lack of memory; undefined if the container is gone. */
  memoryKills(): Promise<number | undefined>;
  /** Kills all processes of the container. Resolves when its processes, mounts, control groups and files are gone. */
  remove(): Promise<void>;
}

/** An engine could not carry out an operation. The message gives the operator the reason. */
export class EngineError extends Error {}
