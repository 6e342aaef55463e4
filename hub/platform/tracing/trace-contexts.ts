import type { TraceContext } from '@svc/core/trace/traceparent';
import { LruMap } from '../lru-map.ts';
import type { NewSpan, Span, Tracer } from './tracer.ts';

/** More than are under way at a time; what is forgotten gets a trace of its own. */
const MOST = 50_000;

/**
 * Where executions and pipeline runs stand in their traces, by their ids. Nothing of it is on record: what this hub has not heard
 * of, as after a restart, has a trace of its own, whose id is that of the execution or run.
 */
export class TraceContexts {
  readonly #tracer: Tracer;
  readonly #contexts = new LruMap<string, TraceContext>(MOST);

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

  /** A span of the execution or run; the first one where nothing is known begins its trace. */
  start(id: string, span: Omit<NewSpan, 'parent'>): Span {
    const parent = this.of(id);
    if (parent !== undefined) return this.#tracer.start({ ...span, parent });
    const as = { ...span.as, traceId: id.replaceAll('-', '') };
    const started = this.#tracer.start({ ...span, parent, as });
    this.put(id, started.context);
    return started;
  }
}
