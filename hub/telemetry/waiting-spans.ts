import type { Approvals } from '../approvals/approval-ports.ts';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import { overriding } from '../platform/overriding.ts';
import { timed } from '../platform/tracing/timed-span.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Clock } from '../platform/world.ts';
import type { Schedules } from '../schedules/schedule-ports.ts';
import { factsOf } from './execution-spans.ts';

/** What waits: for a person, for its time, for a place. */
interface Waits {
  readonly tracer: Tracer;
  readonly places: TraceContexts;
  readonly clock: Clock;
}

/** A call that is held goes on where it stood when it is approved, however long that takes. */
export function tracedApprovals({ tracer, places, clock }: Waits, approvals: Approvals): Approvals {
  return overriding(approvals, {
    async hold(held, idempotency) {
      const parent = tracer.current();
      const span = tracer.start({ name: 'accept', parent, facts: factsOf(held.execution) });
      const acceptance = await timed(span, () => approvals.hold(held, idempotency));
      if (acceptance.kind === 'stored') places.put(held.execution.id, parent ?? span.context);
      return acceptance;
    },
    async close(approval, closing, end, along) {
      const outcome = await approvals.close(approval, closing, end, along);
      if (outcome !== 'stored') return outcome;
      const { id, executionId, workspaceId, slug, createdAtMs } = approval;
      const { state } = closing;
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
      return outcome;
    },
  });
}

/** A fire begins a trace, from the time at which it was due. */
export function tracedSchedules({ tracer, places, clock }: Waits, schedules: Schedules): Schedules {
  return overriding(schedules, {
    async record(schedule, fires) {
      const outcome = await schedules.record(schedule, fires);
      if (outcome !== 'stored' || fires.start === undefined) return outcome;
      const { execution } = fires.start;
      const startMs = tracer.nowMs() - (clock.nowMs() - execution.scheduledForMs);
      places.start(execution.id, { name: 'schedule fire', startMs, facts: factsOf(execution) }).end();
      return outcome;
    },
  });
}

/**
 * Who waits for a place on the hosted runner. Its turn is begun by whoever made room, so it is put back to where it stood: else
 * what it does would be done in the trace of another.
 */
export function tracedQueue({ tracer }: Waits, line: HostedQueue): HostedQueue {
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
