import { ConfigFile } from './config-file.ts';

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

/** The file of access tokens by address of the service. */
export class Logins {
  readonly #file: ConfigFile<KeptLogins>;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#file = new ConfigFile(environment, 'logins.json', 'logins');
  }

  get path(): string {
    return this.#file.path;
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

  /** Throws a `Failure` if no login could be kept or forgotten. */
  requireWritable(): void {
    this.#file.requireWritable();
  }

  keep(baseUrl: string, { accessToken, username, expiresAt }: Login): void {
    const kept = { access_token: accessToken, username: username ?? null, expires_at: expiresAt };
    this.#file.write({ ...this.#read(), [keyOf(baseUrl)]: kept });
  }

  forget(baseUrl: string): void {
    const { [keyOf(baseUrl)]: _, ...others } = this.#read();
    this.#file.write(others);
  }

  #read(): KeptLogins {
    return this.#file.read() ?? {};
  }
}

/** Normalizes an address, so that two spellings mean one service. */
function keyOf(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}
