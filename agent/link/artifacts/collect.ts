import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import { artifactNameProblem, shownArtifactName } from '@svc/core/artifact/name';
import { errorCodeOf, NotReadable, OpenFolder } from './open-folder.ts';

/** A file that a command left; its name is the path below the output folder. */
export interface FoundFile {
  readonly name: string;
  readonly size: number;
}

/** A file that is not sent, and why, for people. */
export interface MissingFile {
  readonly name: string;
  readonly reason: string;
}

export interface CollectedFiles {
  readonly found: readonly FoundFile[];
  readonly missing: readonly MissingFile[];
}

/** The files below the folder that match one of the patterns, in the order of their names. */
export async function collectFiles(path: string, patterns: readonly string[]): Promise<CollectedFiles> {
  const globs = patterns.map((pattern) => new Bun.Glob(pattern));
  const search = new Search((name) => globs.some((glob) => glob.match(name)));
  await using root = await OpenFolder.at(path);
  await search.visit(root, '', 0);
  return search;
}

class Search implements CollectedFiles {
  readonly found: FoundFile[] = [];
  readonly #missing: MissingFile[] = [];
  #unnamed = 0;
  readonly #matches: (name: string) => boolean;
  #visited = 0;

  constructor(matches: (name: string) => boolean) {
    this.#matches = matches;
  }

  /** The last one counts those for which there is no room. */
  get missing(): readonly MissingFile[] {
    const last = this.#missing.at(-1);
    if (last === undefined || this.#unnamed === 0) return this.#missing;
    return this.#missing.with(-1, {
      ...last,
      reason: `${last.reason}; and ${this.#unnamed} more are missing`,
    });
  }

  async visit(folder: OpenFolder, prefix: string, depth: number): Promise<void> {
    for (const { name: entry, isFolder } of await folder.entries()) {
      const name = prefix + entry;
      this.#visited += 1;
      if (this.#visited > ARTIFACT_LIMITS.entries) {
        if (this.#visited === ARTIFACT_LIMITS.entries + 1)
          this.#miss(name, `the output folder has more than ${ARTIFACT_LIMITS.entries} entries`);
        return;
      }
      if (isFolder) await this.#enter(folder, entry, { name, depth });
      else if (this.#matches(name)) await this.#take(folder, entry, name);
    }
  }

  async #enter(
    folder: OpenFolder,
    entry: string,
    { name, depth }: { readonly name: string; readonly depth: number },
  ): Promise<void> {
    if (depth === ARTIFACT_LIMITS.depth) {
      this.#miss(name, `it is more than ${ARTIFACT_LIMITS.depth} folders deep`);
      return;
    }
    try {
      await using inner = await folder.folder(entry);
      await this.visit(inner, `${name}/`, depth + 1);
    } catch (error) {
      this.#miss(name, missingReason(error));
    }
  }

  async #take(folder: OpenFolder, entry: string, name: string): Promise<void> {
    try {
      const problem = artifactNameProblem(name);
      if (problem !== undefined) throw new NotReadable(problem);
      if (this.found.length === ARTIFACT_LIMITS.files)
        throw new NotReadable(`an execution keeps ${ARTIFACT_LIMITS.files} files`);
      await using file = await folder.file(entry);
      this.found.push({ name, size: (await file.stat()).size });
    } catch (error) {
      this.#miss(name, missingReason(error));
    }
  }

  #miss(name: string, reason: string): void {
    if (this.#missing.length === ARTIFACT_LIMITS.missing) this.#unnamed += 1;
    else this.#missing.push({ name: shownArtifactName(name), reason });
  }
}

/** Why a file cannot be sent, for people. */
export function missingReason(error: unknown): string {
  return error instanceof NotReadable ? error.message : `it cannot be read (${errorCodeOf(error)})`;
}
