import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

export interface Plan {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** Random ids, but for the span whose ids were given away before it began, such as those that a command was told. */
export class PlannedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #plan: Plan = {};

  /** For the one span that `start` makes. */
  during<Result>(plan: Plan | undefined, start: () => Result): Result {
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
