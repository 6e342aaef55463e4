import type { Random } from '../engine/ports/world.ts';

export const random: Random = {
  uuid: () => Bun.randomUUIDv7(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
