import type { Runner } from '../../runner/runner.ts';

/** Counts the running commands of each endpoint. */
export class RunningCounts {
  readonly #counts = new Map<string, number>();

  countOf(slug: string): number {
    return this.#counts.get(slug) ?? 0;
  }

  /** Wraps a runner so that its commands are counted. */
  of(runner: Runner): Runner {
    return {
      start: (launch, sink) => {
        const command = runner.start(launch, sink);
        const slug = launch.env.SVC_ENDPOINT ?? '';
        this.#add(slug, 1);
        const ended = () => this.#add(slug, -1);
        command.ended.then(ended, ended);
        return command;
      },
      [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
    };
  }

  #add(slug: string, change: number): void {
    const count = this.countOf(slug) + change;
    if (count === 0) this.#counts.delete(slug);
    else this.#counts.set(slug, count);
  }
}
