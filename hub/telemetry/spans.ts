import type { BusFrame } from '@svc/core/bus/frame';
import { readTraceparent, traceparentOf } from '@svc/core/trace/traceparent';
import type { SendOrder } from '../agent-links/registry.ts';
import type { HostAttempts } from '../dispatch/queue-entries.ts';
import type { NatsObserver } from '../platform/bus/nats-bus.ts';
import type { EventStream } from '../platform/event-stream.ts';
import { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Clock } from '../platform/world.ts';
import { ExecutionSpans } from './execution-spans.ts';
import { RunSpans } from './run-spans.ts';
import { approvalClosed, scheduleFired, tracedHostWait } from './waiting-spans.ts';

/** All spans between a request and its command (docs/operate/tracing.md). */
export class Spans {
  readonly tracer: Tracer;
  /** Sends an order to an agent within a span. */
  readonly sendOrder: SendOrder;
  readonly questions: Pick<NatsObserver, 'asking' | 'asked'>;
  readonly #clock: Clock;
  readonly #places: TraceContexts;
  readonly #executions: ExecutionSpans;
  readonly #runs: RunSpans;

  constructor(tracer: Tracer, clock: Clock) {
    this.tracer = tracer;
    this.#clock = clock;
    this.#places = new TraceContexts(tracer);
    this.#executions = new ExecutionSpans(tracer, this.#places);
    this.#runs = new RunSpans(tracer, this.#places);
    this.sendOrder = (to, order, send) => this.#executions.sendOrder(to, order, send);
    this.questions = tracedQuestions(tracer, this.#places);
  }

  subscribe(stream: EventStream): void {
    const executions = this.#executions;
    const runs = this.#runs;
    const waits = { tracer: this.tracer, places: this.#places, clock: this.#clock };
    const spanMs = (atMs: number) => this.tracer.nowMs() - (performance.now() - atMs);
    stream.subscribe('execution_accepted', ({ execution }, atMs) =>
      executions.accepted(execution, spanMs(atMs)),
    );
    stream.subscribe('execution_begun', ({ executionId }, atMs) =>
      executions.begun(executionId, spanMs(atMs)),
    );
    stream.subscribe('execution_started', ({ execution }) => executions.started(execution));
    stream.subscribe('execution_finished', ({ executionId }, atMs) =>
      executions.finished(executionId, spanMs(atMs)),
    );
    stream.subscribe('execution_ended', ({ execution, ended }) => executions.ended(execution, ended));
    stream.subscribe('approval_closed', (event) => approvalClosed(waits, event));
    stream.subscribe('schedule_fired', (event) => scheduleFired(waits, event));
    stream.subscribe('run_started', ({ run }, atMs) => runs.started(run, spanMs(atMs)));
    stream.subscribe('run_changed', (event) => runs.changed(event));
  }

  hostWait(attempts: HostAttempts): HostAttempts {
    return tracedHostWait(this.tracer, attempts);
  }
}

/** A forwarded call carries its trace context, so that the trace continues at the other hub. */
function tracedQuestions(tracer: Tracer, places: TraceContexts): Spans['questions'] {
  const placeOf = (frame: BusFrame) => {
    if (frame.type === 'take') return places.of(frame.executionId);
    // A call that is not stored yet is in the context of its request.
    return frame.type === 'call' ? tracer.current() : undefined;
  };
  return {
    asking(frame) {
      const place = placeOf(frame);
      return place === undefined ? frame : { ...frame, traceparent: traceparentOf(place) };
    },
    asked(frame) {
      if (frame.type !== 'take' && frame.type !== 'call') return;
      const place = readTraceparent(frame.traceparent);
      if (place !== undefined) places.put(frame.executionId, place);
    },
  };
}
