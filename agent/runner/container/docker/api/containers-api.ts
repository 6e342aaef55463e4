import type { ContainerLimits } from '../../engine.ts';
import { limitsBody } from '../container-body.ts';
import { type Attachment, attach } from './attachment.ts';
import { type DockerApi, DockerRefusal, isNotFound } from './docker-api.ts';

/** It is being removed already, or has not quite ended. */
const NOT_YET = [409, 500];
const REMOVAL_TRIES = 400;
const BETWEEN_TRIES_MS = 25;

/** What is asked of an engine about containers, each by the name that it was given. */
export class ContainersApi {
  readonly #api: DockerApi;

  constructor(api: DockerApi) {
    this.#api = api;
  }

  /** Starts one; whatever goes wrong, nothing of it stays. */
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
      // The engine that could not start it may be unable to remove it, too: then it is found at the next start of the host.
      await this.remove(name).catch(() => {});
      throw error;
    }
  }

  async limit(name: string, limits: ContainerLimits): Promise<void> {
    await this.#api.ask('POST', `/containers/${name}/update`, { json: limitsBody(limits) });
  }

  /** Of process 1, as the host numbers processes; undefined when it is gone. */
  async pidOf(name: string): Promise<number | undefined> {
    const { State } = (await this.#api.ask('GET', `/containers/${name}/json`)) as { State: { Pid: number } };
    return State.Pid > 0 ? State.Pid : undefined;
  }

  /** Settles when nothing runs in it any more. */
  async ended(name: string): Promise<void> {
    try {
      await this.#api.ask('POST', `/containers/${name}/wait`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Kills what runs in it, and settles when the engine knows nothing of it any more. */
  async remove(name: string): Promise<void> {
    for (let tries = 1; !(await this.#removed(name)); tries += 1) {
      if (tries === REMOVAL_TRIES) throw new Error(`Docker has been removing container ${name} for too long`);
      await Bun.sleep(BETWEEN_TRIES_MS);
    }
  }

  /** The names of all that have a label, in whatever state they are. */
  async labelled(label: string): Promise<string[]> {
    const query = { all: '1', filters: JSON.stringify({ label: [label] }) };
    const found = (await this.#api.ask('GET', '/containers/json', { query })) as { Id: string }[];
    return found.map(({ Id }) => Id);
  }

  /** False while it is being removed already, as it is when it has ended by itself. */
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
