import { readTraceparent, traceparentOf } from '@svc/core/trace/traceparent';
import { overriding } from '../overriding.ts';
import type { Bus } from '../ports/bus.ts';
import type { Places } from './places.ts';

/** A hub that is asked to run a call is told where the call stands, so that its trace goes on there. */
export function tracedBus(places: Places, bus: Bus): Bus {
  return overriding(bus, {
    ask(hubId, frame, withinMs) {
      const place = frame.type === 'take' ? places.of(frame.executionId) : undefined;
      const traced = place === undefined ? frame : { ...frame, traceparent: traceparentOf(place) };
      return bus.ask(hubId, traced, withinMs);
    },
    answer(answer) {
      bus.answer((frame, from) => {
        const place = frame.type === 'take' ? readTraceparent(frame.traceparent) : undefined;
        if (frame.type === 'take' && place !== undefined) places.put(frame.executionId, place);
        return answer(frame, from);
      });
    },
  });
}
