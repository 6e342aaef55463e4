import { existsSync, lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { claimFolder } from '../../files/claim-folder.ts';
import type { Launch } from '../../runner/runner.ts';
import { errorCodeOf } from './open-folder.ts';

/** The places where commands leave artifacts, one for each execution, until the hub has them (decision 72, artifacts). */
export interface OutputPlaces {
  /** The value of `SVC_OUTPUT_DIR`. */
  pathOf(executionId: string): string;
  /** Makes an empty place, and stores the patterns for the next process of this agent. Throws if it cannot. */
  create(executionId: string, patterns: readonly string[], user: Launch['user']): void;
  /** The patterns of an execution; undefined if it has no place. */
  patternsOf(executionId: string): Promise<readonly string[] | undefined>;
  /** The folder on this machine, after the command has ended; undefined if the command never got one. */
  open(executionId: string): Promise<string | undefined>;
  has(executionId: string): boolean;
  /** Whether the command left anything, or may have. */
  hasFiles(executionId: string): boolean;
  remove(executionId: string): Promise<void>;
  /** Removes the places of all other executions. A place that cannot be removed stays until the next start. */
  keepOnly(executionIds: ReadonlySet<string>, onTrouble: (cause: unknown) => void): Promise<void>;
}

/** A folder on this machine for each execution. */
export class OutputFolders implements OutputPlaces {
  readonly #root: string;

  /**
   * @param root of this agent alone; it is made with the first folder. With commands of another user, the folder of `root` belongs to
   * agents, too, and only root may write into the folder of that one.
   */
  constructor(root: string) {
    this.#root = root;
  }

  pathOf(executionId: string): string {
    return join(this.#root, executionId, 'output');
  }

  /**
   * Makes the folder, and notes the patterns for a process that comes after this one. A command of another user passes through the
   * folders above, and cannot list them. Throws if one of them is in other hands.
   */
  create(executionId: string, patterns: readonly string[], user: Launch['user']): void {
    const folder = join(this.#root, executionId);
    const output = this.pathOf(executionId);
    const mode = user === undefined ? 0o700 : 0o711;
    if (user !== undefined) claimFolder(dirname(this.#root), mode);
    claimFolder(this.#root, mode);
    claimFolder(folder, mode);
    mkdirSync(output, { mode: 0o700 });
    if (user !== undefined) lchownSync(output, user.uid, user.gid);
    writeFileSync(join(folder, 'patterns.json'), JSON.stringify(patterns), { mode: 0o600 });
  }

  async patternsOf(executionId: string): Promise<readonly string[] | undefined> {
    const text = await readFile(join(this.#root, executionId, 'patterns.json'), 'utf8').catch(
      () => undefined,
    );
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  }

  has(executionId: string): boolean {
    return existsSync(join(this.#root, executionId));
  }

  open(executionId: string): Promise<string> {
    return Promise.resolve(this.pathOf(executionId));
  }

  hasFiles(executionId: string): boolean {
    if (!this.has(executionId)) return false;
    try {
      return readdirSync(this.pathOf(executionId)).length > 0;
    } catch {
      return true;
    }
  }

  async remove(executionId: string): Promise<void> {
    await rm(join(this.#root, executionId), { recursive: true, force: true });
  }

  async keepOnly(executionIds: ReadonlySet<string>, onTrouble: (cause: unknown) => void): Promise<void> {
    const names = await readdir(this.#root).catch((cause: unknown) => {
      if (errorCodeOf(cause) !== 'ENOENT') onTrouble(cause);
      return [];
    });
    for (const id of names) if (!executionIds.has(id)) await this.remove(id).catch(onTrouble);
  }
}
