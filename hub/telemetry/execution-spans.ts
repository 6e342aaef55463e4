import type { EventExecution } from '@svc/core/event/hub-event';
import type { Ended } from '@svc/core/execution/outcome';
import { RecentMap } from '@svc/core/recent-map';
import { type TraceContext, traceparentOf } from '@svc/core/trace/traceparent';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Span, SpanFacts, Tracer } from '../platform/tracing/tracer.ts';
import { overriding } from './measured-ports.ts';

const MOST = 50_000;

/** An execution that has been given to an agent. */
interface ContainerRun {
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
  readonly #courses = new RecentMap<string, ContainerRun>(MOST);

  constructor(tracer: Tracer, places: TraceContexts) {
    this.#tracer = tracer;
    this.#places = places;
  }

  /** The hub gives it to its agent. */
  started(execution: EventExecution): void {
    if (this.#courses.get(execution.id) !== undefined) return;
    const startMs = this.#tracer.nowMs();
    const facts = factsOf(execution);
    const span = this.#places.start(execution.id, { name: 'execution', startMs, facts });
    const commandSpanId = this.#tracer.newSpanId();
    this.#courses.set(execution.id, { span, startMs, commandSpanId, endedMs: undefined });
  }

  /** The end is stored. */
  ended(
    { id, slug }: Pick<EventExecution, 'id' | 'slug'>,
    { state, reason, exitCode, durationMs }: Ended,
  ): void {
    const course = this.#courses.take(id);
    this.#places.forget(id);
    if (course === undefined) return;
    const { span, commandSpanId, endedMs = this.#tracer.nowMs() } = course;
    const failed = state === 'succeeded' ? {} : { 'error.type': state };
    if (durationMs !== undefined) {
      const facts = { 'svc.endpoint.slug': slug, 'svc.execution.id': id, 'process.exit.code': exitCode };
      // The agent says how long it took, rounded; its clock may be another.
      const startMs = Math.max(course.startMs, endedMs - durationMs);
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
    const course = this.#courses.get(executionId);
    if (course === undefined) return;
    course.endedMs = startMs;
    const facts = { 'svc.execution.id': executionId };
    this.#tracer.start({ name: 'finish', parent: course.span.context, startMs, facts }).end();
  }

  /** The order for an agent includes the trace context of the command. */
  agents(agents: AgentDirectory): AgentDirectory {
    return overriding(agents, {
      run: (to, order, isToBeConfirmed) => {
        const course = this.#courses.get(order.execution_id);
        if (course === undefined) return agents.run(to, order, isToBeConfirmed);
        const { context } = course.span;
        const span = this.#tracer.start({
          name: 'dispatch',
          parent: context,
          facts: { 'svc.execution.id': order.execution_id, 'svc.agent.name': to.name },
        });
        const traced = { ...order, traceparent: traceparentOf(commandOf(context, course)) };
        const isSent = agents.run(to, traced, isToBeConfirmed);
        span.end(isSent ? {} : { 'error.type': 'agent_offline' });
        return isSent;
      },
    });
  }
}

function commandOf(execution: TraceContext, { commandSpanId }: ContainerRun): TraceContext {
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
