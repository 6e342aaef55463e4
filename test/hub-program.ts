import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FirstRunSetup } from '@svc/hub/build/first-run';
import { versionAt } from './beside/beside.ts';
import { type HubBeside, hubBeside } from './beside/hub-beside.ts';
import type { LedgerLocation } from './cluster/ledger.ts';
import { freePort } from './free-port.ts';
import { databaseEnvironment } from './hub-database.ts';
import { hubWorld } from './hub-world.ts';
import { Lines } from './lines.ts';
import { MovableClock } from './movable-clock.ts';
import { startSvc } from './program.ts';

type Environment = Readonly<Record<string, string>>;
type Made = Pick<FirstRunSetup, 'apiKey' | 'accessToken' | 'agentToken'>;

interface Surroundings {
  readonly env: Environment;
  readonly root: string | undefined;
  readonly beside?: HubBeside | undefined;
}

/** A process of `svc hub` with an account, a key and an agent token, to be killed and started again on the same data. */
export class HubProgram implements AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly agentToken: string;
  readonly dataDir: string;
  readonly port: number;
  readonly env: Environment;
  /** Where its sources are; undefined: they are these. */
  readonly #root: string | undefined;
  #beside: HubBeside | undefined;
  #process: ReturnType<typeof startSvc> | undefined;

  /**
   * Its data go into this folder, or where tests are run on PostgreSQL into a new database; it does not run yet.
   *
   * @param more what its environment says besides
   */
  static async make(folder: string, more: Environment = {}): Promise<HubProgram> {
    const dataDir = join(folder, 'data');
    const env = { ...(await databaseEnvironment()), ...more };
    // An account, a key and an agent token, made by a hub that then stops cleanly.
    const clock = new MovableClock(Date.now());
    await using seed = await hubWorld({ env: { ...env, SVC_DATA_DIR: dataDir }, clock });
    const beside = await hubBeside(env);
    return new HubProgram(dataDir, seed.hub.port, seed.start, { env, root: versionAt(0).root, beside });
  }

  private constructor(dataDir: string, port: number, made: Made, { env, root, beside }: Surroundings) {
    this.env = env;
    this.#root = root;
    this.#beside = beside;
    this.dataDir = dataDir;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.apiKey = made.apiKey;
    this.accessToken = made.accessToken;
    this.agentToken = made.agentToken;
  }

  /** Another hub with the same database, keys and account, and a data folder of its own. */
  async beside(folder: string): Promise<HubProgram> {
    const dataDir = join(folder, 'data');
    await mkdir(dataDir, { recursive: true });
    return new HubProgram(dataDir, await freePort(), this, { env: this.env, root: versionAt(1).root });
  }

  /** The id of the running process. */
  get pid(): number {
    if (this.#process === undefined) throw new Error('the hub was not started');
    return this.#process.pid;
  }

  /** Where its records are. */
  get ledger(): LedgerLocation {
    const { DATABASE_URL: databaseUrl } = this.env;
    return databaseUrl === undefined ? { file: join(this.dataDir, 'svc.db') } : { databaseUrl };
  }

  /** Settles when it listens, with its log. */
  async start(env: Environment = {}): Promise<Lines> {
    this.#process = startSvc(['hub', '--port', String(this.port)], {
      cwd: this.dataDir,
      env: { SVC_DATA_DIR: this.dataDir, ...this.env, ...env },
      root: this.#root,
    });
    const log = new Lines(this.#process.stderr);
    await log.find(/the hub listens/);
    return log;
  }

  /** Without a word, as `kill -9` does. */
  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }

  /** A request with the key. */
  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'x-api-key': this.apiKey, ...(init.headers as Record<string, string> | undefined) };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    const beside = this.#beside;
    this.#beside = undefined;
    await beside?.end(this.accessToken);
  }
}
