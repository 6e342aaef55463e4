import type { EventRun, HubEventOf } from '@svc/core/event/hub-event';
import { hasRunEnded, isDone, type NodeRecord } from '@svc/core/pipeline/run/state';
import { RecentMap } from '@svc/core/recent-map';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Span, Tracer } from '../platform/tracing/tracer.ts';

const MAX_RUNS = 10_000;

/** A run that this hub drives: its own span, and those of the steps that have begun. */
interface TracedRun {
  readonly span: Span;
  readonly steps: Map<string, Span>;
}

/** The spans of pipeline runs: the run, and each try of a step in it; the executions of steps are children of those. */
export class RunSpans {
  readonly #tracer: Tracer;
  readonly #places: TraceContexts;
  readonly #traced = new RecentMap<string, TracedRun>(MAX_RUNS);

  constructor(tracer: Tracer, places: TraceContexts) {
    this.#tracer = tracer;
    this.#places = places;
  }

  /** @param startMs when its commit was requested */
  started(run: EventRun, startMs: number): void {
    const parent = this.#tracer.current();
    this.#tracer.start({ name: 'accept', parent, startMs, facts: factsOf(run) }).end();
    if (parent !== undefined) this.#places.put(run.id, parent);
    this.#tracedOf(run);
  }

  #tracedOf(run: EventRun): TracedRun {
    const known = this.#traced.get(run.id);
    if (known !== undefined) return known;
    const span = this.#places.start(run.id, { name: 'pipeline run', facts: factsOf(run) });
    const traced: TracedRun = { span, steps: new Map() };
    this.#traced.set(run.id, traced);
    return traced;
  }

  changed({ run, head, nodes, steps }: HubEventOf<'run_changed'>): void {
    const traced = this.#tracedOf(run);
    // An attempt that ended in this change comes before the one that begins in it.
    for (const node of nodes) if (!steps.some(({ step }) => step.id === node.id)) end(traced, node);
    for (const execution of steps) {
      const { id, attempt } = execution.step;
      traced.steps.get(id)?.end({ 'svc.pipeline.step.state': 'failed', 'error.type': 'failed' });
      const facts = {
        ...factsOf(run),
        'svc.pipeline.step.id': id,
        'svc.pipeline.step.attempt': attempt,
        'svc.execution.id': execution.id,
      };
      const span = this.#tracer.start({ name: 'pipeline step', parent: traced.span.context, facts });
      traced.steps.set(id, span);
      this.#places.put(execution.id, span.context);
    }
    if (!hasRunEnded(head)) return;
    traced.span.end({
      'svc.pipeline.run.state': head.state,
      ...(head.state === 'succeeded' ? {} : { 'error.type': head.state }),
    });
    this.#traced.take(run.id);
    this.#places.forget(run.id);
  }
}

/** The span of a step that has ended, or that waits for a retry. */
function end({ steps }: TracedRun, node: NodeRecord): void {
  const span = steps.get(node.id);
  const isOver = isDone(node) || (node.state === 'queued' && node.retryAtMs !== undefined);
  if (span === undefined || !isOver) return;
  steps.delete(node.id);
  const state = node.outcome ?? node.state;
  span.end({ 'svc.pipeline.step.state': state, ...(state === 'succeeded' ? {} : { 'error.type': state }) });
}

function factsOf({ id, workspaceId, slug }: EventRun) {
  return { 'svc.workspace.id': workspaceId, 'svc.pipeline.slug': slug, 'svc.pipeline.run.id': id };
}
