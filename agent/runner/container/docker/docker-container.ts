import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { settlesWithin } from '../../settles-within.ts';
import type { Container, ContainerLimits } from '../engine.ts';
import { findCgroups } from '../oci/cgroup/find-cgroups.ts';
import type { Attachment } from './api/attachment.ts';
import type { ContainersApi } from './api/containers-api.ts';
import { DockerUnavailable } from './api/docker-api.ts';

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

/**
 * How often the kernel killed for memory in the control group of a process. Engines only report whether process 1 was
 * killed, or whether any process was.
 */
function memoryKillsOf(pid: number): number {
  const group = memoryGroupIn(readFileSync(`/proc/${pid}/cgroup`, 'latin1'));
  return findCgroups(dirname(group)).memoryKills(basename(group));
}

/** See cgroups(7): `4:memory:/path` in version 1, `0::/path` in version 2. */
export function memoryGroupIn(cgroup: string): string {
  const groups = cgroup.split('\n').map((line) => {
    const [, controllers = '', ...path] = line.split(':');
    return { controllers: controllers.split(','), path: path.join(':') };
  });
  const found =
    groups.find(({ controllers }) => controllers.includes('memory')) ??
    groups.find(({ controllers }) => controllers.includes(''));
  return found?.path ?? '';
}
