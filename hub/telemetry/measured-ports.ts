import type { HostAttempts } from '../dispatch/queue-entries.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** The attempts of an entry for the hosted runner, with a measurement of how long it waited. */
export function measuredHostWait(figures: Figures, attempts: HostAttempts): HostAttempts {
  const enteredAtMs = performance.now();
  return {
    ...attempts,
    async begin(host) {
      const waitedMs = performance.now() - enteredAtMs;
      const outcome = await attempts.begin(host);
      if (outcome === 'over') figures.hostedWait.observe(waitedMs / 1000);
      return outcome;
    },
  };
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
