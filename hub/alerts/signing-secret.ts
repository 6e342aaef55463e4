import type { Random } from '../platform/world.ts';

const SECRET_BYTES = 32;

/** A secret as Standard Webhooks has it. */
export function newSecret({ bytes }: Pick<Random, 'bytes'>): string {
  return `whsec_${bytes(SECRET_BYTES).toBase64()}`;
}
