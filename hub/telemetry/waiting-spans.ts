import type { HubEventOf } from '@svc/core/event/hub-event';
import type { HostAttempts } from '../dispatch/queue-entries.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Clock } from '../platform/world.ts';
import { factsOf } from './execution-spans.ts';

/** The parts of the spans for waits: for a person, for a time, for a slot. */
interface Waits {
  readonly tracer: Tracer;
  readonly places: TraceContexts;
  readonly clock: Clock;
}

/** The wait for a decision. An approved call continues the trace of its request, however long the decision took. */
export function approvalClosed(
  { tracer, places, clock }: Waits,
  { approval, approvalState: state }: HubEventOf<'approval_closed'>,
): void {
  const { id, executionId, workspaceId, slug, createdAtMs } = approval;
  const facts = {
    'svc.workspace.id': workspaceId,
    'svc.endpoint.slug': slug,
    'svc.execution.id': executionId,
    'svc.approval.id': id,
    'svc.approval.state': state,
    ...(state === 'approved' ? {} : { 'error.type': state }),
  };
  const startMs = tracer.nowMs() - (clock.nowMs() - createdAtMs);
  places.start(executionId, { name: 'approval wait', startMs, facts: {} }).end(facts);
  if (state !== 'approved') places.forget(executionId);
}

/** A fire begins a trace at the time at which it was due. */
export function scheduleFired(
  { tracer, places, clock }: Waits,
  { start: execution }: HubEventOf<'schedule_fired'>,
): void {
  if (execution === undefined) return;
  const startMs = tracer.nowMs() - (clock.nowMs() - execution.scheduledForMs);
  places.start(execution.id, { name: 'schedule fire', startMs, facts: factsOf(execution) }).end();
}

/**
 * The wait for a slot of the hosted runner. The code that released a slot also begins the entry. So the entry's trace
 * context is restored first; otherwise its work would appear in the trace of another execution.
 */
export function tracedHostWait(tracer: Tracer, attempts: HostAttempts): HostAttempts {
  const place = tracer.current();
  if (place === undefined) return attempts;
  const { workspaceId } = attempts;
  const span = tracer.start({
    name: 'hosted wait',
    parent: place,
    facts: { 'svc.workspace.id': workspaceId },
  });
  return {
    workspaceId,
    async begin(host) {
      const begunMs = tracer.nowMs();
      const outcome = await tracer.within(place, () => attempts.begin(host));
      if (outcome === 'over') span.end({}, begunMs);
      return outcome;
    },
    left() {
      attempts.left();
      span.end({ 'error.type': 'no_place' });
    },
  };
}
