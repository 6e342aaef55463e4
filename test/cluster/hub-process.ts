import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';

/** A process of `svc hub`, to be stopped and started again on the same port and folder. */
export class HubProcess implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #root: string | undefined;
  #process: ReturnType<typeof startSvc> | undefined;
  #log: Lines | undefined;

  /**
   * It does not run yet.
   *
   * @param root where its sources are; undefined: they are these
   */
  constructor(port: number, folder: string, env: Readonly<Record<string, string>>, root?: string) {
    this.port = port;
    this.#root = root;
    this.#folder = folder;
    this.#env = { ...env, SVC_DATA_DIR: folder };
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Its log since its last start. */
  get log(): string {
    return this.#log?.text ?? '';
  }

  /** Settles when it listens. */
  async start(): Promise<void> {
    const args = ['hub', '--port', String(this.port)];
    this.#process = startSvc(args, { cwd: this.#folder, env: this.#env, root: this.#root });
    this.#log = new Lines(this.#process.stderr);
    await this.#log.find(/the hub listens/);
  }

  /** Stops it like a service manager. Settles with its exit code. */
  async stop(): Promise<number> {
    this.#process?.kill('SIGTERM');
    return (await this.#process?.exited) ?? 0;
  }

  ready(): Promise<Response> {
    return fetch(`http://${this.address}/ready`);
  }

  /** How many calls of endpoints it has answered since it was started. */
  answeredCalls(): Promise<number> {
    return this.#figure('svc_call_duration_seconds_count');
  }

  /** How many agents are connected to it. */
  agents(): Promise<number> {
    return this.#figure('svc_agents_connected');
  }

  /** The sum of its rows. */
  async #figure(name: string): Promise<number> {
    const figures = await (await fetch(`http://${this.address}/metrics`)).text();
    const rows = figures.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'));
    return [...rows].reduce((total, [, count]) => total + Number(count), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }
}
