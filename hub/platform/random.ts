import type { Clock, Random } from './world.ts';

/** Ids are of the time of this clock: executions are listed, counted and kept by the time in their ids. */
export function randomWith(clock: Pick<Clock, 'nowMs'>): Random {
  return {
    uuid: () => Bun.randomUUIDv7('hex', clock.nowMs()),
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
