import type { HubEventOf } from '@svc/core/event/hub-event';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Clock } from '../platform/world.ts';
import { factsOf } from './execution-spans.ts';
import { overriding } from './measured-ports.ts';

/** For the spans of waits: for a person, for a time, for a place. */
interface Waits {
  readonly tracer: Tracer;
  readonly places: TraceContexts;
  readonly clock: Clock;
}

/** The wait for a decision; an approved call goes on in the trace of its request, however long that took. */
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
 * Who waits for a place on the hosted runner. Its turn is begun by whoever made room, so it is put back to where it stood: else
 * what it does would be done in the trace of another.
 */
export function tracedQueue(tracer: Tracer, line: HostedQueue): HostedQueue {
  return overriding(line, {
    join(turn) {
      const place = tracer.current();
      if (place === undefined) return line.join(turn);
      const span = tracer.start({
        name: 'hosted wait',
        parent: place,
        facts: { 'svc.workspace.id': turn.workspaceId },
      });
      const begin: typeof turn.begin = async (host) => {
        const begunMs = tracer.nowMs();
        const outcome = await tracer.within(place, () => turn.begin(host));
        if (outcome === 'over') span.end({}, begunMs);
        return outcome;
      };
      const leave = line.join({ ...turn, begin });
      return () => {
        const hasLeft = leave();
        if (hasLeft) span.end({ 'error.type': 'no_place' });
        return hasLeft;
      };
    },
  });
}
