import { EngineError } from '../engine.ts';
import type { RunnerImage } from '../image/runner-image.ts';
import { type DockerApi, isNotFound } from './api/docker-api.ts';

const REPOSITORY = 'svc-runner';
const IMPORT_TIMEOUT_MS = 10 * 60_000;

/** The runner image in the engine: imported from the tar if it is missing, and named by the digest of the tar. */
export class DockerImage {
  readonly name: string;
  readonly #api: DockerApi;
  readonly #image: RunnerImage;
  #importing: Promise<void> | undefined;

  constructor(api: DockerApi, image: RunnerImage) {
    this.#api = api;
    this.#image = image;
    this.name = `${REPOSITORY}:${image.digest}`;
  }

  /** Resolves when the image exists. Concurrent calls share one import. */
  async present(): Promise<void> {
    if (await this.#isPresent()) return;
    this.#importing ??= this.#import().finally(() => {
      this.#importing = undefined;
    });
    await this.#importing;
  }

  async #isPresent(): Promise<boolean> {
    try {
      await this.#api.ask('GET', `/images/${this.name}/json`);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #import(): Promise<void> {
    const { tarFile, digest } = this.#image;
    try {
      await this.#api.follow('POST', '/images/create', {
        query: { fromSrc: '-', repo: REPOSITORY, tag: digest },
        body: Bun.file(tarFile),
        timeoutMs: IMPORT_TIMEOUT_MS,
      });
    } catch (cause) {
      const why = (cause as Error).message;
      throw new EngineError(`the runner image ${tarFile} cannot be imported: ${why}`, { cause });
    }
  }
}
