import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch } from '../../runner/runner.ts';

/** The folder of each execution in which its command leaves artifacts (decision 72, artifacts). */
export class OutputFolders {
  readonly #root: string;

  /** @param root made here; commands of another user pass through it, and cannot list it */
  constructor(root: string, user: Launch['user']) {
    this.#root = root;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const facts = lstatSync(root);
    if (!facts.isDirectory() || facts.uid !== process.getuid?.())
      throw new Error(`${root} is not a folder of this user`);
    if (user !== undefined) chmodSync(root, 0o711);
  }

  /** What `SVC_OUTPUT_DIR` is. */
  pathOf(executionId: string): string {
    return join(this.#root, executionId, 'output');
  }

  /** Makes the folder, and notes the patterns for a process that comes after this one. */
  create(executionId: string, patterns: readonly string[], user: Launch['user']): void {
    const folder = join(this.#root, executionId);
    const output = this.pathOf(executionId);
    mkdirSync(folder, { mode: user === undefined ? 0o700 : 0o711 });
    mkdirSync(output, { mode: 0o700 });
    if (user !== undefined) chownSync(output, user.uid, user.gid);
    writeFileSync(join(folder, 'patterns.json'), JSON.stringify(patterns), { mode: 0o600 });
  }

  /** The patterns of an execution; undefined if it has no folder. */
  async patternsOf(executionId: string): Promise<readonly string[] | undefined> {
    const text = await readFile(join(this.#root, executionId, 'patterns.json'), 'utf8').catch(
      () => undefined,
    );
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  }

  has(executionId: string): boolean {
    return existsSync(join(this.#root, executionId));
  }

  remove(executionId: string): void {
    rmSync(join(this.#root, executionId), { recursive: true, force: true });
  }

  /** Removes the folders of all other executions. */
  keepOnly(executionIds: ReadonlySet<string>): void {
    for (const id of readdirSync(this.#root)) if (!executionIds.has(id)) this.remove(id);
  }
}
