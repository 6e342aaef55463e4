import type { EventExecution } from '@svc/core/event/hub-event';
import type { Ended } from '@svc/core/execution/outcome';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import { RecentMap } from '@svc/core/recent-map';
import { type TraceContext, traceparentOf } from '@svc/core/trace/traceparent';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Span, SpanFacts, Tracer } from '../platform/tracing/tracer.ts';

const MAX_EXECUTIONS = 50_000;

/** An execution that has been given to an agent. */
interface TracedExecution {
  readonly span: Span;
  readonly startMs: number;
  /** The span id of the command, which the command receives before it begins. */
  readonly commandSpanId: string;
  /** When the commit of its end was requested. */
  endedMs: number | undefined;
}

/** The spans of executions: accepted, dispatched, the command at its agent, and the end on record. */
export class ExecutionSpans {
  readonly #tracer: Tracer;
  readonly #places: TraceContexts;
  readonly #traced = new RecentMap<string, TracedExecution>(MAX_EXECUTIONS);

  constructor(tracer: Tracer, places: TraceContexts) {
    this.#tracer = tracer;
    this.#places = places;
  }

  /** The hub gives it to its agent. */
  started(execution: EventExecution): void {
    if (this.#traced.get(execution.id) !== undefined) return;
    const startMs = this.#tracer.nowMs();
    const facts = factsOf(execution);
    const span = this.#places.start(execution.id, { name: 'execution', startMs, facts });
    const commandSpanId = this.#tracer.newSpanId();
    this.#traced.set(execution.id, { span, startMs, commandSpanId, endedMs: undefined });
  }

  /** The end is stored. */
  ended(
    { id, slug }: Pick<EventExecution, 'id' | 'slug'>,
    { state, reason, exitCode, durationMs }: Ended,
  ): void {
    const traced = this.#traced.take(id);
    this.#places.forget(id);
    if (traced === undefined) return;
    const { span, commandSpanId, endedMs = this.#tracer.nowMs() } = traced;
    const failed = state === 'succeeded' ? {} : { 'error.type': state };
    if (durationMs !== undefined) {
      const facts = { 'svc.endpoint.slug': slug, 'svc.execution.id': id, 'process.exit.code': exitCode };
      // The agent says how long it took, rounded; its clock may be another.
      const startMs = Math.max(traced.startMs, endedMs - durationMs);
      const as = { spanId: commandSpanId };
      this.#tracer.start({ name: 'command', parent: span.context, as, startMs, facts }).end(failed, endedMs);
    }
    span.end({
      'svc.execution.state': state,
      'svc.execution.reason': reason,
      'process.exit.code': exitCode,
      ...failed,
    });
  }

  /** @param startMs when its commit was requested */
  accepted(execution: EventExecution, startMs: number): void {
    const parent = this.#tracer.current() ?? this.#places.of(execution.id);
    const span = this.#tracer.start({ name: 'accept', parent, startMs, facts: factsOf(execution) });
    span.end();
    this.#places.put(execution.id, parent ?? span.context);
  }

  begun(executionId: string, startMs: number): void {
    const facts = { 'svc.execution.id': executionId };
    this.#places.start(executionId, { name: 'begin', startMs, facts }).end();
  }

  finished(executionId: string, startMs: number): void {
    const traced = this.#traced.get(executionId);
    if (traced === undefined) return;
    traced.endedMs = startMs;
    const facts = { 'svc.execution.id': executionId };
    this.#tracer.start({ name: 'finish', parent: traced.span.context, startMs, facts }).end();
  }

  /** Sends an order, which includes the trace context of its command, within a span. */
  sendOrder(to: AgentProcess, order: ExecutionOrder, send: (order: ExecutionOrder) => boolean): boolean {
    const traced = this.#traced.get(order.execution_id);
    if (traced === undefined) return send(order);
    const { context } = traced.span;
    const span = this.#tracer.start({
      name: 'dispatch',
      parent: context,
      facts: { 'svc.execution.id': order.execution_id, 'svc.agent.name': to.name },
    });
    const isSent = send({ ...order, traceparent: traceparentOf(commandOf(context, traced)) });
    span.end(isSent ? {} : { 'error.type': 'agent_offline' });
    return isSent;
  }
}

function commandOf(execution: TraceContext, { commandSpanId }: TracedExecution): TraceContext {
  return { ...execution, spanId: commandSpanId };
}

/** The facts of an execution for a span; no values of its caller are among them. */
export function factsOf(execution: EventExecution): SpanFacts {
  const { id, workspaceId, slug, trigger, agentName, step } = execution;
  return {
    'svc.workspace.id': workspaceId,
    'svc.endpoint.slug': slug,
    'svc.execution.id': id,
    'svc.execution.trigger': trigger,
    'svc.agent.name': agentName,
    'svc.pipeline.run.id': step?.runId,
    'svc.pipeline.step.id': step?.id,
    'svc.pipeline.step.attempt': step?.attempt,
  };
}
