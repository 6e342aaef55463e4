import { type ExecutionLiveEvent, type LiveEvent, liveEventKey } from './live-event.ts';

/**
 * Up to this many changed executions are reported one by one. For more, only their number is reported, and lists are read
 * again.
 */
const MAX_EXECUTIONS = 25;
/** Up to this many other events are kept. Beyond that a dashboard has to read everything again. */
const MAX_OTHER_EVENTS = 200;

/** The events since the last batch: only the newest of each thing, in their order. */
export class LiveEventBatch {
  readonly #executions = new Map<string, ExecutionLiveEvent>();
  readonly #others = new Map<string, LiveEvent>();
  #more = 0;
  #isOverfull = false;

  add(event: LiveEvent): void {
    if (event.kind === 'execution') this.#addExecution(event);
    else if (event.kind === 'executions') this.#more += event.count;
    else this.#addOther(event);
  }

  /**
   * Returns the events and begins a new batch. `overfull`: there were too many, so a dashboard has to read everything
   * again.
   */
  take(): readonly LiveEvent[] | 'overfull' {
    const event = this.#isOverfull
      ? ('overfull' as const)
      : [...this.#ofExecutions(), ...this.#others.values()];
    this.#executions.clear();
    this.#others.clear();
    this.#more = 0;
    this.#isOverfull = false;
    return event;
  }

  /** NOTE: Past the limit, executions are only counted. Thousands in a second then cost one count each. */
  #addExecution(event: ExecutionLiveEvent): void {
    if (this.#more > 0) {
      this.#more += 1;
      return;
    }
    this.#executions.delete(event.executionId);
    this.#executions.set(event.executionId, event);
    if (this.#executions.size <= MAX_EXECUTIONS) return;
    this.#more = this.#executions.size;
    this.#executions.clear();
  }

  #addOther(event: LiveEvent): void {
    const key = liveEventKey(event);
    this.#others.delete(key);
    if (this.#others.size >= MAX_OTHER_EVENTS) this.#isOverfull = true;
    else this.#others.set(key, event);
  }

  #ofExecutions(): readonly LiveEvent[] {
    const count = this.#more + this.#executions.size;
    return this.#more > 0 ? [{ kind: 'executions', count }] : [...this.#executions.values()];
  }
}
