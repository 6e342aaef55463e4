import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

/** The login of `svc login` at one service. */
export interface Login {
  readonly accessToken: string;
  /** Undefined while the workspace has no username. */
  readonly username: string | undefined;
  /** RFC 3339. */
  readonly expiresAt: string;
}

interface Kept {
  readonly access_token: string;
  readonly username: string | null;
  readonly expires_at: string;
}

type KeptLogins = Readonly<Record<string, Kept>>;

/** The file of access tokens by address of the service, for its owner alone (XDG Base Directory Specification). */
export class Logins {
  readonly path: string;

  constructor({ XDG_CONFIG_HOME, HOME }: Readonly<Record<string, string | undefined>>) {
    const folder = XDG_CONFIG_HOME || join(HOME || homedir(), '.config');
    this.path = join(folder, 'svc', 'logins.json');
  }

  of(baseUrl: string): Login | undefined {
    const kept = this.#read()[keyOf(baseUrl)];
    if (kept === undefined) return undefined;
    return {
      accessToken: kept.access_token,
      username: kept.username ?? undefined,
      expiresAt: kept.expires_at,
    };
  }

  keep(baseUrl: string, { accessToken, username, expiresAt }: Login): void {
    const kept = { access_token: accessToken, username: username ?? null, expires_at: expiresAt };
    this.#write({ ...this.#read(), [keyOf(baseUrl)]: kept });
  }

  forget(baseUrl: string): void {
    const { [keyOf(baseUrl)]: _, ...others } = this.#read();
    this.#write(others);
  }

  #read(): KeptLogins {
    const text = this.#text();
    if (text === undefined) return {};
    try {
      return JSON.parse(text) as KeptLogins;
    } catch {
      throw new Failure(`${this.path} is not valid JSON`, { tip: 'remove the file, then run svc login' });
    }
  }

  #text(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new Failure(`cannot read the logins of this user: ${message}`);
    }
  }

  /** Writes a new file and renames it, so that a crash loses nothing and the mode is always 0600. */
  #write(logins: KeptLogins): void {
    const partial = `${this.path}.${process.pid}`;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    writeFileSync(partial, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(partial, this.path);
  }
}

/** Normalizes an address, so that two spellings mean one service. */
function keyOf(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}
