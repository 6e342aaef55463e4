import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** The hosted queue, with a measurement of how long each entry waited. */
export function measuredQueue(figures: Figures, hostedQueue: HostedQueue): HostedQueue {
  return overriding(hostedQueue, {
    join(entry) {
      const joinedAtMs = performance.now();
      const begin: typeof entry.begin = async (host) => {
        const waitedMs = performance.now() - joinedAtMs;
        const outcome = await entry.begin(host);
        if (outcome === 'over') figures.hostedWait.observe(waitedMs / 1000);
        return outcome;
      };
      return hostedQueue.join({ ...entry, begin });
    },
  });
}

/** The same bus, which measures how long other hubs take to answer. */
export function measuredBus(figures: Figures, bus: Bus): Bus {
  return overriding(bus, {
    async ask(...question) {
      const sentAtMs = performance.now();
      const reply = await bus.ask(...question);
      if (reply.kind === 'answered') figures.busRoundTrip.observeSince(sentAtMs);
      return reply;
    },
  });
}

/** The same port with some methods replaced; the methods of a store need their own `this`. */
export function overriding<Port extends object>(port: Port, replaced: Partial<Port>): Port {
  /** Cached methods, because each call uses several of these wrappers. */
  const bound = new Map<string | symbol, unknown>();
  return new Proxy(port, {
    get(target, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value = (Reflect.get(replaced, name) as unknown) ?? Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method: unknown = (value as () => unknown).bind(target);
      bound.set(name, method);
      return method;
    },
  });
}
