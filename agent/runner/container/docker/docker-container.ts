import { settlesWithin } from '../../settles-within.ts';
import type { Container, ContainerLimits } from '../engine.ts';
import type { Attachment } from './api/attachment.ts';
import type { ContainersApi } from './api/containers-api.ts';
import { DockerUnavailable } from './api/docker-api.ts';
import { memoryKillsOf } from './memory-kills.ts';

/** A killed process may hang in the kernel; the next start of the host then removes it. */
const KILLED_WITHIN_MS = 10_000;

/** A container that the engine has started. */
export class DockerContainer implements Container {
  readonly id: string;
  readonly ended: Promise<string>;
  readonly #containers: ContainersApi;
  readonly #attachment: Attachment;
  #removed: Promise<void> | undefined;

  constructor(id: string, containers: ContainersApi, attachment: Attachment) {
    this.id = id;
    this.#containers = containers;
    this.#attachment = attachment;
    this.ended = this.#end();
  }

  get output(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#attachment.output;
  }

  send(bytes: Uint8Array): void {
    this.#attachment.send(bytes);
  }

  limit(limits: ContainerLimits): Promise<void> {
    return this.#containers.limit(this.id, limits);
  }

  async memoryKills(): Promise<number | undefined> {
    const pid = await this.#containers.pidOf(this.id).catch(() => undefined);
    try {
      return pid === undefined ? undefined : memoryKillsOf(pid);
    } catch {
      // The container has ended meanwhile, with its control group.
      return undefined;
    }
  }

  remove(): Promise<void> {
    this.#removed ??= this.#remove();
    return this.#removed;
  }

  async #remove(): Promise<void> {
    this.#attachment.close();
    try {
      await this.#containers.remove(this.id);
    } catch (error) {
      // The container ended with its stdin, and the engine removes it after its restart.
      if (!(error instanceof DockerUnavailable)) throw error;
    }
    await settlesWithin(this.ended, KILLED_WITHIN_MS);
  }

  /** The streams end with the container or with the engine, whose containers end with it. */
  async #end(): Promise<string> {
    const complaint = await this.#attachment.closed;
    try {
      await this.#containers.ended(this.id);
      return complaint;
    } catch (error) {
      return complaint || (error as Error).message;
    }
  }
}
