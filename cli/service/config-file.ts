import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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

  /** Writes a new file and renames it, so that a crash loses nothing and the mode is always 0600. */
  write(content: Content): void {
    const partial = `${this.path}.${process.pid}`;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(partial, this.path);
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
