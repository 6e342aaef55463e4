import type { TraceContext } from '@svc/core/trace/traceparent';

/**
 * The attributes of a span: facts from the hub's own records. The list is closed, so that values of callers, output and
 * commands never get into a trace.
 */
export interface SpanFacts {
  readonly 'svc.workspace.id'?: string | undefined;
  readonly 'svc.endpoint.slug'?: string | undefined;
  readonly 'svc.execution.id'?: string | undefined;
  readonly 'svc.execution.state'?: string | undefined;
  readonly 'svc.execution.reason'?: string | undefined;
  readonly 'svc.execution.trigger'?: string | undefined;
  readonly 'svc.agent.name'?: string | undefined;
  readonly 'svc.approval.id'?: string | undefined;
  readonly 'svc.approval.state'?: string | undefined;
  readonly 'svc.pipeline.slug'?: string | undefined;
  readonly 'svc.pipeline.run.id'?: string | undefined;
  readonly 'svc.pipeline.run.state'?: string | undefined;
  readonly 'svc.pipeline.step.id'?: string | undefined;
  readonly 'svc.pipeline.step.attempt'?: number | undefined;
  readonly 'svc.pipeline.step.state'?: string | undefined;
  readonly 'http.request.method'?: string | undefined;
  readonly 'http.route'?: string | undefined;
  readonly 'http.response.status_code'?: number | undefined;
  readonly 'process.exit.code'?: number | undefined;
  /** A code of a closed list; with it the span counts as failed. */
  readonly 'error.type'?: string | undefined;
}

export interface NewSpan {
  readonly name: string;
  readonly isServer?: true;
  /** Undefined: a trace begins. */
  readonly parent: TraceContext | undefined;
  /** Ids that were chosen earlier; default: new ones. */
  readonly as?: { readonly traceId?: string | undefined; readonly spanId?: string | undefined };
  /** Epoch milliseconds of `Tracer.nowMs`; default: now. */
  readonly startMs?: number;
  readonly facts: SpanFacts;
}

/** A traced operation. */
export interface Span {
  readonly context: TraceContext;
  /** @param endMs default: now */
  end(facts?: SpanFacts, endMs?: number): void;
}

/** Creates spans. It exists only with a configured collector. Its methods return at once and throw nothing. */
export interface Tracer {
  /** Epoch milliseconds with fractions, from the clock of the machine. Tests do not control it. */
  nowMs(): number;
  newSpanId(): string;
  start(span: NewSpan): Span;
  /** The trace context of the current request; undefined for background work. */
  current(): TraceContext | undefined;
  /** Runs `work`, and everything that it awaits, in a trace context; undefined: in none. */
  within<Result>(place: TraceContext | undefined, work: () => Result): Result;
}
