import { type ExecutionLiveEvent, type LiveEvent, liveEventKey } from './live-event.ts';

/** So many executions are told of one by one; of more only how many there were: who shows a list reads it again. */
const EXECUTIONS_AT_ONCE = 25;
/** What else fits; beyond that a dashboard has to read everything anew. */
const REST_AT_ONCE = 200;

/** What has happened since it was last told: of each thing the newest, in the order of these. */
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

  /** All of it, and begins anew; `overfull`: there is more than can be told. */
  take(): readonly LiveEvent[] | 'overfull' {
    const news = this.#isOverfull ? ('overfull' as const) : [...this.#ofExecutions(), ...this.#rest.values()];
    this.#executions.clear();
    this.#rest.clear();
    this.#more = 0;
    this.#isOverfull = false;
    return news;
  }

  /** NOTE: Once there are too many nothing is kept of them: thousands in a second cost a count each. */
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
