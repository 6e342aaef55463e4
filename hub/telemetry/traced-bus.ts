import type { BusFrame } from '@svc/core/bus/frame';
import { readTraceparent, traceparentOf } from '@svc/core/trace/traceparent';
import type { Bus } from '../platform/bus/bus.ts';
import { overriding } from '../platform/overriding.ts';
import type { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';

/** A hub that is asked to run a call is told where the call stands, so that its trace goes on there. */
export function tracedBus(tracer: Tracer, places: TraceContexts, bus: Bus): Bus {
  const placeOf = (frame: BusFrame) => {
    if (frame.type === 'take') return places.of(frame.executionId);
    // Nothing of it is on record, so it stands where its request does.
    return frame.type === 'call' ? tracer.current() : undefined;
  };
  return overriding(bus, {
    ask(hubId, frame, withinMs) {
      const place = placeOf(frame);
      const traced = place === undefined ? frame : { ...frame, traceparent: traceparentOf(place) };
      return bus.ask(hubId, traced, withinMs);
    },
    answer(answer) {
      bus.answer((frame, from) => {
        if (frame.type === 'take' || frame.type === 'call') {
          const place = readTraceparent(frame.traceparent);
          if (place !== undefined) places.put(frame.executionId, place);
        }
        return answer(frame, from);
      });
    },
  });
}
