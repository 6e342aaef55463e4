import type { Clock, Random } from './world.ts';

/** The longest delay of `setTimeout`. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  at(atMs, action) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = atMs - Date.now();
      timer =
        leftMs > MAX_TIMER_MS ? setTimeout(wait, MAX_TIMER_MS) : setTimeout(action, Math.max(0, leftMs));
      // Timers do not keep the process alive; the server does.
      timer.unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
};

/** Ids use the time of this clock: executions are listed, counted and retained by the time in their ids. */
export function randomWith(clock: Pick<Clock, 'nowMs'>): Random {
  return {
    uuid: () => Bun.randomUUIDv7('hex', clock.nowMs()),
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
