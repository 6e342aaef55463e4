import type { Clock, Random } from './world.ts';

/** The longest delay of `setTimeout`. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ids stay in order while the clock goes back by no more than this. */
const MAX_AHEAD_MS = 100;

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

/**
 * Ids use the time of this clock: executions are listed, counted and retained by the time in their ids. Ids of one millisecond are
 * in order, too. The runtime counts up within a millisecond, and begins again when an id of another time came between. The id then
 * has the next millisecond (RFC 9562, section 6.2).
 */
export function randomWith(clock: Pick<Clock, 'nowMs'>): Random {
  let last = { atMs: Number.NEGATIVE_INFINITY, id: '' };
  return {
    uuid() {
      const nowMs = clock.nowMs();
      const atMs = nowMs < last.atMs && last.atMs - nowMs <= MAX_AHEAD_MS ? last.atMs : nowMs;
      const id = Bun.randomUUIDv7('hex', atMs);
      const isInOrder = atMs !== last.atMs || id > last.id;
      last = isInOrder ? { atMs, id } : { atMs: atMs + 1, id: Bun.randomUUIDv7('hex', atMs + 1) };
      return last.id;
    },
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
