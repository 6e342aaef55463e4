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
      // The server keeps the process alive; once that is closed nothing is worth waiting for.
      timer.unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
};

/** Ids are of the time of this clock: executions are listed, counted and kept by the time in their ids. */
export function randomWith(clock: Pick<Clock, 'nowMs'>): Random {
  return {
    uuid: () => Bun.randomUUIDv7('hex', clock.nowMs()),
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
