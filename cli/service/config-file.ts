import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One block of most file systems. */
const CHECKED_BYTES = 4096;

/** A JSON file of this user, for its owner alone (XDG Base Directory Specification). */
export class ConfigFile<Content> {
  readonly path: string;
  readonly #what: string;

  /** `what` names the content in messages. */
  constructor({ XDG_CONFIG_HOME, HOME }: Environment, name: string, what: string) {
    this.path = join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'svc', name);
    this.#what = what;
  }

  /** Undefined: there is no such file. Throws a `Failure` if the file cannot be read. */
  read(): Content | undefined {
    const text = this.#text();
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Content;
    } catch {
      throw new Failure(`${this.path} is not valid JSON`, { tip: 'remove the file, then try again' });
    }
  }

  /** Throws a `Failure` if the file cannot be written: a check before a step that cannot be undone. */
  requireWritable(): void {
    // A full disk may still have room for an empty file.
    this.#withPartial(' '.repeat(CHECKED_BYTES), () => undefined);
  }

  /** Writes a new file and renames it, so that a crash loses nothing and the mode is always 0600. */
  write(content: Content): void {
    this.#withPartial(`${JSON.stringify(content, null, 2)}\n`, (partial) => renameSync(partial, this.path));
  }

  /** Writes a file beside this one, which is gone at the end. Its name is random: in containers each process may have the same id. */
  #withPartial(text: string, use: (partial: string) => void): void {
    const partial = `${this.path}.${randomUUID()}`;
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      try {
        writeFileSync(partial, text, { mode: 0o600, flag: 'wx' });
        use(partial);
      } finally {
        rmSync(partial, { force: true });
      }
    } catch (error) {
      throw new Failure(`cannot write the ${this.#what} of this user: ${(error as Error).message}`, {
        tip: 'XDG_CONFIG_HOME=<a folder that you can write to>',
      });
    }
  }

  #text(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new Failure(`cannot read the ${this.#what} of this user: ${message}`);
    }
  }
}
