import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

export interface PlannedSpan {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** Random ids, except for a span whose ids were chosen before it began, such as the ids that a command receives. */
export class PlannedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #plan: PlannedSpan = {};

  /** Uses the planned ids for the one span that `start` creates. */
  during<Result>(plan: PlannedSpan | undefined, start: () => Result): Result {
    if (plan === undefined) return start();
    this.#plan = plan;
    try {
      return start();
    } finally {
      this.#plan = {};
    }
  }

  generateTraceId(): string {
    return this.#plan.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#plan.spanId ?? this.#random.generateSpanId();
  }
}
