import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** The same line, which says how long those waited whose turn came. */
export function measuredQueue(figures: Figures, line: HostedQueue): HostedQueue {
  return overriding(line, {
    join(turn) {
      const joinedAtMs = performance.now();
      const begin: typeof turn.begin = async (host) => {
        const waitedMs = performance.now() - joinedAtMs;
        const outcome = await turn.begin(host);
        if (outcome === 'over') figures.hostedWait.observe(waitedMs / 1000);
        return outcome;
      };
      return line.join({ ...turn, begin });
    },
  });
}

/** The same bus, which says how long other hubs take to answer. */
export function measuredBus(figures: Figures, bus: Bus): Bus {
  return overriding(bus, {
    async ask(...question) {
      const askedAtMs = performance.now();
      const asked = await bus.ask(...question);
      if (asked.kind === 'answered') figures.busRoundTrip.observeSince(askedAtMs);
      return asked;
    },
  });
}

/** The same port with some of its methods replaced; a store's methods need their own `this`. */
export function overriding<Port extends object>(port: Port, replaced: Partial<Port>): Port {
  /** Methods that have been asked for: each call goes through several of these. */
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
