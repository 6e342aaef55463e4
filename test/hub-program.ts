import { join } from 'node:path';
import { hubWorld } from './hub-world.ts';
import { Lines } from './lines.ts';
import { startSvc } from './program.ts';

/** A process of `svc hub` with an account, a key and an agent token, to be killed and started again on the same data. */
export class HubProgram implements AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly agentToken: string;
  readonly dataDir: string;
  readonly port: number;
  #process: ReturnType<typeof startSvc> | undefined;

  /** Its data go into this folder; it does not run yet. */
  static async make(folder: string): Promise<HubProgram> {
    const dataDir = join(folder, 'data');
    // An account, a key and an agent token, made by a hub that then stops in peace.
    await using seed = await hubWorld({ env: { SVC_DATA_DIR: dataDir } });
    return new HubProgram(dataDir, seed.hub.port, seed.start);
  }

  private constructor(dataDir: string, port: number, made: { apiKey: string; agentToken: string }) {
    this.dataDir = dataDir;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.apiKey = made.apiKey;
    this.agentToken = made.agentToken;
  }

  /** Settles when it listens, with its log. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<Lines> {
    this.#process = startSvc(['hub', '--port', String(this.port)], {
      cwd: this.dataDir,
      env: { SVC_DATA_DIR: this.dataDir, ...env },
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
