import { fileURLToPath } from 'node:url';
import type { Subprocess } from 'bun';
import type { TransformJob, TransformResult } from './transform-output.ts';

/** The argument that makes a compiled `svc` a worker (transform-worker.ts); people never type it. */
export const WORKER_ARGUMENT = 'transform-worker';

/**
 * The limits of one worker. The processor time ends a worker that spins although its agent was killed. On Linux, the data
 * limit makes an allocation fail before the machine runs out of memory; more than a third of it is address space that the
 * engine reserves for code, and with half of it programs are ten times as slow.
 */
const CPU_SECONDS = 120;
const DATA_KIB = 3 * 1024 ** 2;
const LIMITS_SCRIPT = `ulimit -c 0; ulimit -t ${CPU_SECONDS}; ulimit -d ${DATA_KIB}; exec "$0" "$@"`;

/** After this much work the next job gets a fresh process, long before several threads use up the processor time. */
const RETIRE_AFTER_MS = 10_000;

/** One worker process, which runs one job at a time. */
export class WorkerProcess {
  readonly #process: Subprocess<'ignore', 'ignore', 'ignore'>;
  #answer: ((result: TransformResult) => void) | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #busyMs = 0;
  #gaveUp = false;

  /** Throws if no process can be started. */
  constructor() {
    this.#process = Bun.spawn({
      cmd: ['/bin/sh', '-c', LIMITS_SCRIPT, ...workerCommand()],
      cwd: '/',
      env: { BUN_ENABLE_CRASH_REPORTING: '0' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      serialization: 'advanced',
      ipc: (result: TransformResult) => this.#answer?.(result),
      onExit: () => this.#onExit(),
    });
  }

  get takesJobs(): boolean {
    return !this.#gaveUp && this.#busyMs < RETIRE_AFTER_MS;
  }

  /** Never rejects. A worker that did not answer takes no more jobs and must be stopped. */
  async run(job: TransformJob, timeoutMs: number): Promise<TransformResult> {
    clearTimeout(this.#idleTimer);
    this.#process.ref();
    const started = performance.now();
    const { promise, resolve } = Promise.withResolvers<TransformResult>();
    this.#answer = resolve;
    const timer = setTimeout(
      () => this.#giveUp(`it took longer than ${timeoutMs / 1000} seconds`),
      timeoutMs,
    );
    this.#send(job);
    const result = await promise;
    clearTimeout(timer);
    this.#busyMs += performance.now() - started;
    return result;
  }

  /** Keeps the process for the next job for a limited time, without keeping the agent alive. */
  keepIdle(idleMs: number): void {
    this.#answer = undefined;
    this.#process.unref();
    this.#idleTimer = setTimeout(() => void this.stop(), idleMs);
    this.#idleTimer.unref();
  }

  /** Ends the process; resolves when it has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#gaveUp = true;
    this.#process.kill('SIGKILL');
    await this.#process.exited;
  }

  #send(job: TransformJob): void {
    try {
      this.#process.send(job);
    } catch (error) {
      this.#giveUp(`its process took no job: ${(error as Error).message}`);
    }
  }

  #onExit(): void {
    clearTimeout(this.#idleTimer);
    const how = this.#process.signalCode ?? `exit code ${this.#process.exitCode}`;
    this.#giveUp(`its process ended (${how}); it may have run out of memory`);
  }

  #giveUp(reason: string): void {
    this.#gaveUp = true;
    this.#answer?.({ kind: 'failed', reason });
  }
}

function workerCommand(): string[] {
  const inBinary = import.meta.url.startsWith('file:///$bunfs/');
  if (inBinary) return [process.execPath, WORKER_ARGUMENT];
  return [process.execPath, fileURLToPath(new URL('./transform-worker.ts', import.meta.url))];
}
