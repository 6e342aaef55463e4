import { RecentMap } from '@svc/core/recent-map';
import type { TraceContext } from '@svc/core/trace/traceparent';
import type { NewSpan, Span, Tracer } from './tracer.ts';

/** More executions and runs than are active at a time. One beyond the limit gets a trace of its own. */
const MAX_ENTRIES = 50_000;

/**
 * The trace contexts of executions and pipeline runs, by id, in memory. An execution that is not in it, such as after a restart,
 * gets a trace of its own with the id of the execution or run.
 */
export class TraceContexts {
  readonly #tracer: Tracer;
  readonly #contexts = new RecentMap<string, TraceContext>(MAX_ENTRIES);

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  of(id: string): TraceContext | undefined {
    return this.#contexts.get(id);
  }

  put(id: string, place: TraceContext): void {
    this.#contexts.set(id, place);
  }

  forget(id: string): void {
    this.#contexts.take(id);
  }

  /** A span of the execution or run. The first span of an unknown execution or run begins its trace. */
  start(id: string, span: Omit<NewSpan, 'parent'>): Span {
    const parent = this.of(id);
    if (parent !== undefined) return this.#tracer.start({ ...span, parent });
    const as = { ...span.as, traceId: id.replaceAll('-', '') };
    const started = this.#tracer.start({ ...span, parent, as });
    this.put(id, started.context);
    return started;
  }
}
