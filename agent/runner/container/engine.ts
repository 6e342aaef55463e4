/**
 * The port of what makes containers: `oci` calls a runtime of the Open Container Initiative directly, `docker` speaks to
 * the socket of Docker Engine or Podman (decision 49). Everything above it is the same for both: the frames of the shim,
 * the pool of waiting containers, the runner.
 */
export interface Engine extends AsyncDisposable {
  /** For people: what makes the containers, with its version. */
  readonly name: string;
  /** Who is `runner` in its containers, as the host numbers users and groups: the owner of what is in a volume. */
  readonly runnerUid: number;
  /**
   * Starts a container with the shim as its process 1, in which all rules of reference 8 hold from the start. It is usable
   * once the shim says so. Rejects with an {@link EngineError} where it is known at once that there is none to be had.
   */
  create(request: ContainerRequest): Promise<Container>;
  /** What an earlier process of this host left: removed, in whatever state it is. Answers with what there was, for a log. */
  removeLeftovers(): Promise<readonly string[]>;
}

export interface ContainerRequest {
  readonly limits: ContainerLimits;
  /** Joins the network that the host has for containers; an engine without one rejects. */
  readonly network: boolean;
  /** A folder of the host for `/workspace`, in place of one of its own: the volume of a pipeline run. */
  readonly workspace?: string;
}

/** What may be changed while a container waits. */
export interface ContainerLimits {
  readonly vcpus: number;
  readonly memoryBytes: number;
}

/** One container, used once. */
export interface Container {
  readonly id: string;
  /** What the shim writes: frames, see `shim/frames.ts`. Ends with the container. Read once. */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Settles when nothing runs in it any more, with what the engine said about that: nothing, if all went well. */
  readonly ended: Promise<string>;
  /** Gives bytes to the shim. A container that is gone takes them and forgets them. */
  send(bytes: Uint8Array): void;
  /** In force when it settles; rejects when the machine does not take them. */
  limit(limits: ContainerLimits): Promise<void>;
  /** How often the kernel killed a process in it because its memory was used up; undefined when it is gone. */
  memoryKills(): Promise<number | undefined>;
  /** Kills whatever runs in it, and settles when nothing of it is left: no process, mount, control group or file. */
  remove(): Promise<void>;
}

/** Why an engine cannot do what it was asked to; the message is for the operator. */
export class EngineError extends Error {}
