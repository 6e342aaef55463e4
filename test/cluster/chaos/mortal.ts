import { closeSync, openSync } from 'node:fs';
import { Lines } from '../../lines.ts';

/** A process that may be killed at any moment, and started again as it was. */
export interface Mortal {
  readonly name: string;
  readonly kind: 'hub' | 'agent' | 'agents' | 'broker' | 'database';
  /** By SIGKILL; settles when it is dead. */
  kill(): Promise<void>;
  /** Settles when it serves, or is on its way to. */
  start(): Promise<void>;
}

export interface MortalOptions extends Pick<Mortal, 'name' | 'kind'> {
  /** The program that runs it. */
  readonly command: () => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The text that it prints when it serves; absent: it is not waited for. */
  readonly ready?: RegExp;
  /** Its stderr is added to this file. */
  readonly logPath: string;
}

/** Between two tries to start one that does not: what it needs may be dead, too. */
const TRY_AGAIN_MS = 200;

/** A program of ours, as a process. */
export class MortalProcess implements Mortal, AsyncDisposable {
  readonly name: string;
  readonly kind: Mortal['kind'];
  readonly #options: MortalOptions;
  #process: Bun.Subprocess<'ignore', 'pipe', number> | undefined;
  #stdout: Lines | undefined;
  #isOver = false;

  constructor(options: MortalOptions) {
    this.name = options.name;
    this.kind = options.kind;
    this.#options = options;
  }

  get pid(): number | undefined {
    const isAlive = this.#process?.exitCode === null && this.#process.signalCode === null;
    return isAlive ? this.#process?.pid : undefined;
  }

  /** Its output since its last start. */
  get stdout(): Lines {
    if (this.#stdout === undefined) throw new Error(`${this.name} was never started`);
    return this.#stdout;
  }

  /** Like a service manager: again and again, until it serves. */
  async start(): Promise<void> {
    const { ready } = this.#options;
    while (!this.#isOver) {
      this.#spawn();
      if (ready === undefined) return;
      const isReady = await this.stdout.find(ready).then(
        () => true,
        () => false,
      );
      if (isReady) return;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.kill();
  }

  #spawn(): void {
    const { command, env, logPath } = this.#options;
    const log = openSync(logPath, 'a');
    const child = Bun.spawn([...command()], { env, stdio: ['ignore', 'pipe', log] });
    closeSync(log);
    this.#process = child;
    this.#stdout = new Lines(child.stdout);
  }
}

/** The environment without the variables of this test run. */
export function environment(more: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), NO_COLOR: '1', ...more };
}
