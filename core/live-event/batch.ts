import { type ExecutionLiveEvent, type LiveEvent, liveEventKey } from './live-event.ts';

/**
 * Up to this many changed executions are reported one by one. For more, only their number is reported, and lists are read
 * again.
 */
const EXECUTIONS_AT_ONCE = 25;
/** Up to this many other events are kept. Beyond that a dashboard has to read everything again. */
const REST_AT_ONCE = 200;

/** The events since the last batch: only the newest of each thing, in their order. */
export class LiveEventBatch {
  readonly #executions = new Map<string, ExecutionLiveEvent>();
  readonly #rest = new Map<string, LiveEvent>();
  #more = 0;
  #isOverfull = false;

  add(news: LiveEvent): void {
    if (news.kind === 'execution') this.#addExecution(news);
    else if (news.kind === 'executions') this.#more += news.count;
    else this.#addOther(news);
  }

  /**
   * Returns the events and begins a new batch. `overfull`: there were too many, so a dashboard has to read everything
   * again.
   */
  take(): readonly LiveEvent[] | 'overfull' {
    const news = this.#isOverfull ? ('overfull' as const) : [...this.#ofExecutions(), ...this.#rest.values()];
    this.#executions.clear();
    this.#rest.clear();
    this.#more = 0;
    this.#isOverfull = false;
    return news;
  }

  /** NOTE: Past the limit, executions are only counted. Thousands in a second then cost one count each. */
  #addExecution(news: ExecutionLiveEvent): void {
    if (this.#more > 0) {
      this.#more += 1;
      return;
    }
    this.#executions.delete(news.executionId);
    this.#executions.set(news.executionId, news);
    if (this.#executions.size <= EXECUTIONS_AT_ONCE) return;
    this.#more = this.#executions.size;
    this.#executions.clear();
  }

  #addOther(news: LiveEvent): void {
    const key = liveEventKey(news);
    this.#rest.delete(key);
    if (this.#rest.size >= REST_AT_ONCE) this.#isOverfull = true;
    else this.#rest.set(key, news);
  }

  #ofExecutions(): readonly LiveEvent[] {
    const count = this.#more + this.#executions.size;
    return this.#more > 0 ? [{ kind: 'executions', count }] : [...this.#executions.values()];
  }
}
