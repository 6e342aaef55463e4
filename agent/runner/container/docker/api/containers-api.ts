import type { ContainerLimits } from '../../engine.ts';
import { limitsBody } from '../container-body.ts';
import { type Attachment, attach } from './attachment.ts';
import { type DockerApi, DockerRefusal, isNotFound } from './docker-api.ts';

/** Statuses of a container that is being removed, or is just ending. */
const NOT_YET = [409, 500];
const REMOVAL_TRIES = 400;
const BETWEEN_TRIES_MS = 25;

/** The calls of the engine for containers, by container name. */
export class ContainersApi {
  readonly #api: DockerApi;

  constructor(api: DockerApi) {
    this.#api = api;
  }

  /** Starts a container. Removes the container when the start fails. */
  async start(name: string, body: object): Promise<Attachment> {
    try {
      await this.#api.ask('POST', '/containers/create', { query: { name }, json: body });
      const attachment = await attach(this.#api, name);
      try {
        await this.#api.ask('POST', `/containers/${name}/start`);
        return attachment;
      } catch (error) {
        attachment.close();
        throw error;
      }
    } catch (error) {
      // An engine that could not start it may also be unable to remove it; the next start of the host then does.
      await this.remove(name).catch(() => {});
      throw error;
    }
  }

  async limit(name: string, limits: ContainerLimits): Promise<void> {
    await this.#api.ask('POST', `/containers/${name}/update`, { json: limitsBody(limits) });
  }

  /** The host's id of process 1; undefined if it has ended. */
  async pidOf(name: string): Promise<number | undefined> {
    const { State } = (await this.#api.ask('GET', `/containers/${name}/json`)) as { State: { Pid: number } };
    return State.Pid > 0 ? State.Pid : undefined;
  }

  /** Resolves when no process runs in the container. */
  async ended(name: string): Promise<void> {
    try {
      await this.#api.ask('POST', `/containers/${name}/wait`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Kills the container and resolves when the engine has removed it. */
  async remove(name: string): Promise<void> {
    for (let tries = 1; !(await this.#removed(name)); tries += 1) {
      if (tries === REMOVAL_TRIES) throw new Error(`Docker has been removing container ${name} for too long`);
      await Bun.sleep(BETWEEN_TRIES_MS);
    }
  }

  /** The names of all containers with a label, in any state. */
  async labelled(label: string): Promise<string[]> {
    const query = { all: '1', filters: JSON.stringify({ label: [label] }) };
    const found = (await this.#api.ask('GET', '/containers/json', { query })) as { Id: string }[];
    return found.map(({ Id }) => Id);
  }

  /** False if it is already being removed, as after it ended by itself. */
  async #removed(name: string): Promise<boolean> {
    try {
      await this.#api.ask('DELETE', `/containers/${name}`, { query: { force: '1', v: '1' } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      if (error instanceof DockerRefusal && NOT_YET.includes(error.status)) return false;
      throw error;
    }
  }
}
