import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionVolumes } from '../../runner/runner.ts';
import { errorCodeOf } from './open-folder.ts';
import type { OutputPlaces } from './output-folders.ts';

const SUFFIX = '.json';

/**
 * The files that hosted commands leave in `/output`: a volume for each execution (decision 96, files of hosted commands). Volume and
 * patterns are on the disk of the host, so after a kill the next process finds them.
 */
export class OutputVolumes implements OutputPlaces, AsyncDisposable {
  readonly #patternsFolder: string;
  readonly #volumes: ExecutionVolumes;
  /** Open volumes; they stay mounted until they are removed. */
  readonly #open = new Map<string, ReturnType<ExecutionVolumes['use']>>();
  #isClosed = false;

  /** @param folder of this host alone */
  constructor(folder: string, volumes: ExecutionVolumes) {
    this.#patternsFolder = join(folder, 'output-patterns');
    this.#volumes = volumes;
  }

  pathOf(): string {
    return '/output';
  }

  /** The runner makes the volume when the command gets its container. */
  create(executionId: string, patterns: readonly string[]): void {
    mkdirSync(this.#patternsFolder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#fileOf(executionId), JSON.stringify(patterns), { mode: 0o600 });
  }

  async patternsOf(executionId: string): Promise<readonly string[] | undefined> {
    const text = await readFile(this.#fileOf(executionId), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  }

  async open(executionId: string): Promise<string | undefined> {
    // The next process sends these files. The runner ends now, and would wait for an open volume.
    if (this.#isClosed) throw new DOMException('the host is stopping', 'AbortError');
    if (!this.hasFiles(executionId)) return undefined;
    const volume = this.#open.get(executionId) ?? this.#volumes.use(executionId);
    this.#open.set(executionId, volume);
    try {
      return (await volume).folder;
    } catch (error) {
      this.#open.delete(executionId);
      throw error;
    }
  }

  has(executionId: string): boolean {
    return existsSync(this.#fileOf(executionId)) || this.hasFiles(executionId);
  }

  hasFiles(executionId: string): boolean {
    return this.#volumes.ids().includes(executionId);
  }

  async remove(executionId: string): Promise<void> {
    await this.#release(executionId);
    await this.#volumes.end(executionId);
    await rm(this.#fileOf(executionId), { force: true });
  }

  async keepOnly(executionIds: ReadonlySet<string>, onTrouble: (cause: unknown) => void): Promise<void> {
    const noted = await readdir(this.#patternsFolder).catch((cause: unknown) => {
      if (errorCodeOf(cause) !== 'ENOENT') onTrouble(cause);
      return [];
    });
    const ids = new Set([...noted.map((name) => name.slice(0, -SUFFIX.length)), ...this.#volumes.ids()]);
    for (const id of ids) if (!executionIds.has(id)) await this.remove(id).catch(onTrouble);
  }

  /** Lets the runner unmount them; the next process finds them again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const id of [...this.#open.keys()]) await this.#release(id);
  }

  async #release(executionId: string): Promise<void> {
    const volume = await this.#open.get(executionId)?.catch(() => undefined);
    if (this.#open.delete(executionId)) volume?.release();
  }

  #fileOf(executionId: string): string {
    return join(this.#patternsFolder, `${executionId}${SUFFIX}`);
  }
}
