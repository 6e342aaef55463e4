import type { Endpoint } from '@svc/core/endpoint/definition';
import { refuse } from '@svc/core/refusal';
import type { Launch, OutputSink, Runner, RunningCommand } from '../runner/runner.ts';

/** The running executions, at most `max_concurrent` of each endpoint (decision 10, further keys of an endpoint). */
export class ServedExecutions {
  readonly #runner: Runner;
  readonly #running = new Set<RunningCommand>();
  readonly #countBySlug = new Map<string, number>();
  #idle: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Starts the commands of lists, which count in no limit. */
  get unlimited(): Pick<Runner, 'start'> {
    return { start: (launch, sink) => this.start({ slug: '' }, launch, sink) };
  }

  get count(): number {
    return this.#running.size;
  }

  /** Refuses with `concurrency_limited`, and with `unavailable` after `close`. */
  start(
    endpoint: Pick<Endpoint, 'slug' | 'maxConcurrent'>,
    launch: Launch,
    sink: OutputSink,
  ): RunningCommand {
    return this.run(endpoint, (runner) => runner.start(launch, sink));
  }

  /** Starts one command, also one that first waits for its files. Refuses like `start`. */
  run(
    endpoint: Pick<Endpoint, 'slug' | 'maxConcurrent'>,
    begin: (runner: Pick<Runner, 'start'>) => RunningCommand,
  ): RunningCommand {
    this.#refuseTooMany(endpoint);
    const running = begin(this.#runner);
    this.#running.add(running);
    this.#countBySlug.set(endpoint.slug, this.#countOf(endpoint.slug) + 1);
    const forget = () => this.#forget(endpoint.slug, running);
    // The answer reads the ending; only the fact of the end matters here.
    running.ended.then(forget, forget);
    return running;
  }

  /** Refuses new executions. Running ones continue. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  cancelAll(): void {
    for (const running of this.#running) running.cancel();
  }

  #refuseTooMany({ slug, maxConcurrent }: Pick<Endpoint, 'slug' | 'maxConcurrent'>): void {
    if (this.#isClosed) throw refuse('unavailable', 'the server is stopping: nothing is started any more');
    if (maxConcurrent !== undefined && this.#countOf(slug) >= maxConcurrent) {
      const message = `"${slug}" runs ${maxConcurrent} at a time, and that many run now`;
      throw refuse('concurrency_limited', message, { limit: maxConcurrent });
    }
  }

  #countOf(slug: string): number {
    return this.#countBySlug.get(slug) ?? 0;
  }

  #forget(slug: string, running: RunningCommand): void {
    this.#running.delete(running);
    this.#countBySlug.set(slug, this.#countOf(slug) - 1);
    if (this.#running.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
